import { ResponseError } from "@tinkex/base";

/** Place of a fault in the bytes. */
export interface DecodePlace {
  /** The message or record being read, e.g. `SampleResponse`. */
  readonly messageType: string;
  /** The field at fault, e.g. `sequences.tokens`; empty when the message as a whole is. */
  readonly field: string;
  /** Byte offset from the start of the body; -1 where the fault has no single place. */
  readonly offset: number;
}

/** Bytes that do not decode. The answer is lost; asking again may give it. */
export class DecodeError extends ResponseError {
  static override readonly name: string = "DecodeError";

  readonly messageType: string;
  readonly field: string;
  readonly offset: number;

  constructor(fault: string, place: DecodePlace, options: { readonly cause?: unknown } = {}) {
    const field = place.field === "" ? "" : `.${place.field}`;
    const offset = place.offset < 0 ? "" : ` at byte ${place.offset}`;
    super(`${place.messageType}${field}${offset}: ${fault}`, { code: "decode_failed", cause: options.cause });
    this.messageType = place.messageType;
    this.field = place.field;
    this.offset = place.offset;
  }
}
