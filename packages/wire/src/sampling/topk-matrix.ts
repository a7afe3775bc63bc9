import type { TopkLogprobs } from "@tinkex/types";
import type { ProtoReader } from "../proto-bytes/proto-reader.js";
import type { ProtoWriter } from "../proto-bytes/proto-writer.js";
import { float32Of, int32Of } from "../proto-bytes/read-elements.js";

/** A cell that holds nothing is token 0 with this log-probability. */
const EMPTY_LOGPROB = -99_999;

/** About what a row takes, and each pair in it, in bytes. */
const ROW_BYTES = 64;
const PAIR_BYTES = 72;

/**
 * Reads a `TopkLogprobs` message: two matrices of `length × k`. A row that begins with an empty cell is null; empty cells
 * at the end of a row are left out. No matrix at all (k or length 0) is undefined.
 */
export function readTopkMatrix(reader: ProtoReader): TopkLogprobs | undefined {
  let idBytes: Uint8Array = new Uint8Array(0);
  let logprobBytes: Uint8Array = new Uint8Array(0);
  let width = 0;
  let length = 0;
  while (reader.next()) {
    if (reader.field === 1) idBytes = reader.elements("token_ids", 4);
    else if (reader.field === 2) logprobBytes = reader.elements("logprobs", 4);
    else if (reader.field === 3) width = reader.uint32("k");
    else if (reader.field === 4) length = reader.uint32("length");
    else reader.skip();
  }
  if (width === 0 || length === 0) return undefined;
  const neededBytes = width * length * 4;
  for (const [field, bytes] of [
    ["token_ids", idBytes],
    ["logprobs", logprobBytes],
  ] as const) {
    if (bytes.length < neededBytes)
      throw reader.fault(field, `${bytes.length} bytes for a matrix of ${length} × ${width}`);
  }
  reader.spend(length * (ROW_BYTES + width * PAIR_BYTES), "token_ids");
  const ids = int32Of(idBytes);
  const logprobs = float32Of(logprobBytes);
  return Array.from({ length }, (_, row) => readRow(ids, logprobs, row * width, width));
}

function readRow(
  ids: Int32Array,
  logprobs: Float32Array,
  start: number,
  width: number,
): [number, number][] | null {
  const isEmpty = (column: number): boolean =>
    ids[start + column] === 0 && logprobs[start + column] === EMPTY_LOGPROB;
  if (isEmpty(0)) return null;
  let filled = width;
  while (isEmpty(filled - 1)) filled -= 1;
  return Array.from({ length: filled }, (_, column) => [
    ids[start + column] ?? 0,
    logprobs[start + column] ?? 0,
  ]);
}

/** Writes a `TopkLogprobs` message as this field, as wide as the longest row; one cell where all are null, to keep their number. */
export function writeTopkMatrix(writer: ProtoWriter, field: number, rows: TopkLogprobs): void {
  const width = rows.reduce((widest, pairs) => Math.max(widest, pairs?.length ?? 0), 1);
  const ids = new Int32Array(rows.length * width);
  const logprobs = new Float32Array(rows.length * width).fill(EMPTY_LOGPROB);
  for (const [row, pairs] of rows.entries()) {
    for (const [column, [id, logprob]] of (pairs ?? []).entries()) {
      ids[row * width + column] = id;
      logprobs[row * width + column] = logprob;
    }
  }
  const mark = writer.length;
  writer.varintField(4, rows.length);
  writer.varintField(3, width);
  if (ids.length > 0) {
    writeMatrix(writer, 2, logprobs);
    writeMatrix(writer, 1, ids);
  }
  writer.message(field, mark);
}

function writeMatrix(writer: ProtoWriter, field: number, elements: Float32Array | Int32Array): void {
  const mark = writer.length;
  writer.elements(elements);
  writer.message(field, mark);
}
