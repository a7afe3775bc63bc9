import {
  after,
  answer,
  cutAt,
  cutShort,
  halfClose,
  hangUp,
  inTurn,
  type Move,
  raw,
  redirect,
  reset,
  stall,
  work,
  workUnanswered,
} from "@tinkex-tooling/hostile-server";

/** Faults before, during and after the work of a request. */
export const FAULTS: readonly Move[] = [
  reset,
  hangUp,
  halfClose,
  after(5, reset),
  cutShort(100, "abc", reset),
  cutShort(100, "abc", hangUp),
  cutAt(7, answer(200), reset),
  raw("HTTP/1.1 banana\r\n\r\n"),
  raw("\u0000\u0001garbage\r\n\r\n"),
  answer(500),
  answer(503, "<html>gateway</html>"),
  answer(429, {}, { "retry-after": "1" }),
  answer(408),
  answer(400, ""),
  redirect(307, "/api/v1/moved"),
  inTurn(workUnanswered, reset),
  inTurn(workUnanswered, answer(502)),
  inTurn(work, hangUp),
  inTurn(work, after(1, reset)),
  after(20, work),
];

/** Faults that no limit of a try ends within a test: met by calls that have a limit of their own. */
export const STALLS: readonly Move[] = [stall, cutShort(100, "abc", stall)];
