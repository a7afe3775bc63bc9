import type { Answer } from "./try-outcome.js";

/** A success whose body is none of the API's: most often the page of a proxy on the way. */
export class UnreadableAnswer extends Error {
  constructor({ status, body }: Answer) {
    super(`answered ${status} with ${body.byteLength} bytes that are no answer of the API`);
    this.name = "UnreadableAnswer";
  }
}
