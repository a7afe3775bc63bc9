import type { AnswerMove, Move } from "../script/move.js";
import { answer } from "../script/moves.js";
import type { SeenRequest } from "../seen-request.js";

/** The file, or the rest of it from where the request's `Range` begins (RFC 9110, 14.2; open-ended ranges alone). */
export function rangeAnswer(move: Move & { readonly do: "file" }, { headers }: SeenRequest): AnswerMove {
  const { content, etag } = move;
  const asked = /^bytes=(\d+)-$/.exec(headers.range ?? "");
  const isSameFile = headers["if-range"] === undefined || headers["if-range"] === etag;
  if (asked === null || !isSameFile) return answer(200, content, { etag });
  const from = Number(asked[1]);
  const range = `bytes ${from}-${content.byteLength - 1}/${content.byteLength}`;
  return answer(206, content.subarray(from), { etag, "content-range": range });
}
