import { type RequestErrorCategory, TinkexError } from "@tinkex/base";
import { RequestRefusal } from "./request-refusal.js";

/** An operation that was taken and failed; its future says why and whose fault it is. */
export class OperationFailure extends Error {
  readonly category: RequestErrorCategory;

  constructor(message: string, category: RequestErrorCategory, info: { readonly cause?: unknown } = {}) {
    super(message, info.cause === undefined ? undefined : { cause: info.cause });
    this.name = "OperationFailure";
    this.category = category;
  }

  /**
   * Builds the failure that the future of an operation reports when `error` ended it. A validation error and a refusal, such as of a checkpoint
   * that is not there, are the user's; all else is the server's.
   */
  static from(error: unknown): OperationFailure {
    if (error instanceof OperationFailure) return error;
    const message = error instanceof Error ? error.message : String(error);
    const isUsers =
      error instanceof RequestRefusal ||
      (TinkexError.isInstance(error) && error.code === "validation_failed");
    return new OperationFailure(message, isUsers ? "user" : "server", { cause: error });
  }
}

/** The failure of an operation that asks for something impossible. */
export function userFailure(message: string): OperationFailure {
  return new OperationFailure(message, "user");
}
