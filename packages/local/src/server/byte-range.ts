/** Bytes of an answer: from `start` up to, but without, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the header `Range` of a request that wants one part, as those do that go on with a download.
 *
 * @returns `undefined` for a header that asks for nothing that is understood here, and so for all; `unsatisfiable` for a part that
 *   begins behind the end
 */
export function readRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  const start = Number(first);
  const end = last === "" ? size : Math.min(size, Number(last) + 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start < size ? { start, end } : "unsatisfiable";
}
