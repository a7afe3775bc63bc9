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
import { CONNECT_FAULTS, SOCKS_CONNECT_FAULTS, tunnelFaults } from "../proxy-faults.js";

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

/** Faults of a proxy about a connection that it is asked for, and in tunnels to the server behind. */
export function proxyFaults(port: number): readonly Move[] {
  return [
    ...CONNECT_FAULTS.map(([, move]) => move),
    ...tunnelFaults(port, [0, 1, 12, 40, 90, 200]).map(([, move]) => move),
  ];
}

/** The same of a SOCKS5 proxy. */
export function socksFaults(port: number): readonly Move[] {
  return [
    ...SOCKS_CONNECT_FAULTS.map(([, move]) => move),
    ...tunnelFaults(port, [0, 1, 12, 40, 90, 200]).map(([, move]) => move),
  ];
}

/** Faults that no limit of a try ends within a test: met by calls that have a limit of their own. */
export const STALLS: readonly Move[] = [stall, cutShort(100, "abc", stall)];
