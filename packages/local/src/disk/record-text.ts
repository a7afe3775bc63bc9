import { userFailure } from "../errors/operation-failure.js";

/** Largest record that is written and read: all but a few hundred bytes is metadata of the user. */
export const MAX_RECORD_BYTES = 4 * 2 ** 20;

/** The text of a record's file. @throws OperationFailure `user` for one that would be too large to be read again */
export function recordText(record: object): string {
  const text = `${JSON.stringify(record, null, 2)}\n`;
  const size = Buffer.byteLength(text);
  if (size > MAX_RECORD_BYTES) {
    throw userFailure(
      `user_metadata must leave its record at most ${MAX_RECORD_BYTES} bytes, got ${size}: shorten it, or keep it elsewhere`,
    );
  }
  return text;
}
