import {
  after,
  answer,
  cutAt,
  halfClose,
  hangUp,
  inTurn,
  type Move,
  raw,
  reset,
  type SocksMoves,
  tunnelCutAt,
} from "@tinkex-tooling/hostile-server";

/** Way in which a proxy fails, and how the error tells of it. */
export type ProxyFault = readonly [way: string, move: Move, told: RegExp];

const HUNG_UP = /the proxy hung up/;
const BROKEN = /ECONNRESET|the proxy hung up/;
const NO_HTTP = /the proxy's answer is not HTTP/;

/** The beginnings of an answer to CONNECT, after each of which an HTTP proxy may break off. */
const BEGINNINGS = [
  "\r\n",
  "H",
  "HTTP/1.1",
  "HTTP/1.1 ",
  "HTTP/1.1 2",
  "HTTP/1.1 200",
  "HTTP/1.1 200 Connection est",
  "HTTP/1.1 200 OK\r",
  "HTTP/1.1 200 OK\r\n",
  "HTTP/1.1 200 OK\r\nvia: x",
  "HTTP/1.1 200 OK\r\nvia: x\r\n\r",
  "HTTP/1.1 103 Early Hints\r\n\r\n",
  "HTTP/1.1 407 Proxy Authentication Required\r\nproxy-auth",
];

/** Answers to CONNECT that are none of HTTP, or more than was asked for. */
const NO_ANSWERS = [
  "SSH-2.0-OpenSSH_9.6\r\n\r\n",
  "HTTP/1.1 banana\r\n\r\n",
  "HTTP/1.1 20\r\n\r\n",
  "HTTP/1.1 2000 OK\r\n\r\n",
  "HTTP/2 200\r\n\r\n",
  "ICY 200 OK\r\n\r\n",
  "\u0016\u0003\u0001\u0002\r\n\r\n",
  "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
  `HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}`,
  "HTTP/1.1 200 OK\r\n\r\nHello!",
  "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
];

/** Statuses with which a proxy refuses. */
const REFUSALS = [301, 400, 403, 405, 429, 500, 502, 503, 504];

/** Ways in which an HTTP proxy fails before, within and after its answer to CONNECT. */
export const CONNECT_FAULTS: readonly ProxyFault[] = [
  ["hangs up", hangUp, HUNG_UP],
  ["resets", reset, /ECONNRESET/],
  ["ends its side", halfClose, HUNG_UP],
  ["hangs up after a while", after(20, hangUp), HUNG_UP],
  ["resets after a while", after(20, reset), /ECONNRESET/],
  ...BEGINNINGS.flatMap((text): ProxyFault[] => [
    [`says ${JSON.stringify(text)} and hangs up`, inTurn(raw(text), hangUp), HUNG_UP],
    [`says ${JSON.stringify(text)} and resets`, inTurn(raw(text), after(10, reset)), BROKEN],
  ]),
  ...NO_ANSWERS.map((text): ProxyFault => [`says ${JSON.stringify(text.slice(0, 60))}`, raw(text), NO_HTTP]),
  ...REFUSALS.map(
    (status): ProxyFault => [`answers ${status}`, answer(status), new RegExp(`the proxy answered ${status}`)],
  ),
  ["answers 502 with a page", answer(502, "<html>bad gateway"), /the proxy answered 502/],
  ["answers 502 and hangs up", inTurn(answer(502), hangUp), /the proxy answered 502/],
  ["answers 503 in part and resets", cutAt(30, answer(503), reset), BROKEN],
];

/** Ways in which a tunnel breaks off that stood: after so many bytes of what the server behind says. */
export function tunnelFaults(port: number, byteCounts: readonly number[]): readonly ProxyFault[] {
  return byteCounts.flatMap((count): ProxyFault[] => [
    [`tunnels ${count} bytes and hangs up`, tunnelCutAt(count, port, hangUp), /failed \(\w+\)|could not/],
    [`tunnels ${count} bytes and resets`, tunnelCutAt(count, port, reset), /failed \(\w+\)|could not/],
  ]);
}

const NO_SOCKS = /the proxy's answer is not SOCKS5/;

/** Ways in which a SOCKS5 proxy fails before it is asked for a connection. */
export const SOCKS_GREETING_FAULTS: readonly (readonly [way: string, moves: SocksMoves, told: RegExp])[] = [
  ["hangs up", { greeting: hangUp }, HUNG_UP],
  ["resets", { greeting: reset }, /ECONNRESET/],
  ["ends within its greeting", { greeting: inTurn(raw("\u0005"), hangUp) }, HUNG_UP],
  ["speaks SOCKS4", { greeting: raw("\u0000\u005a") }, NO_SOCKS],
  ["speaks HTTP", { greeting: raw("HTTP/1.1 400 Bad Request\r\n\r\n") }, NO_SOCKS],
  ["wants a login of another kind", { greeting: raw("\u0005\u0001") }, NO_SOCKS],
  ["says too much", { greeting: raw("\u0005\u0002\u0001\u0000") }, NO_SOCKS],
  ["hangs up at the login", { login: hangUp }, HUNG_UP],
  ["resets at the login", { login: reset }, /ECONNRESET/],
  ["answers the login in another version", { login: raw("\u0005\u0000") }, NO_SOCKS],
];

/** Ways in which a SOCKS5 proxy fails when it is asked for a connection. */
export const SOCKS_CONNECT_FAULTS: readonly ProxyFault[] = [
  ["hangs up", hangUp, HUNG_UP],
  ["resets", reset, /ECONNRESET/],
  ["ends its side", halfClose, HUNG_UP],
  ["ends within its reply", inTurn(raw("\u0005\u0000\u0000"), hangUp), HUNG_UP],
  ["ends within an address", inTurn(raw("\u0005\u0000\u0000\u0003\u0009abc"), hangUp), HUNG_UP],
  ["resets within its reply", inTurn(raw("\u0005"), after(10, reset)), BROKEN],
  ["speaks another version", raw("\u0004\u0000"), NO_SOCKS],
  ["names no kind of address", raw("\u0005\u0000\u0000\u0009\u0000\u0000"), NO_SOCKS],
  ["says too much", raw("\u0005\u0000\u0000\u0001\u0000\u0000\u0000\u0000\u0000\u0000Hello!"), NO_SOCKS],
  ["fails", raw("\u0005\u0001"), /the proxy answered "general failure"/],
  ["does not allow it", raw("\u0005\u0002\u0000\u0001\u0000\u0000\u0000\u0000\u0000\u0000"), /"not allowed"/],
  ["finds no host", raw("\u0005\u0004"), /"host unreachable"/],
  ["is refused", raw("\u0005\u0005"), /"connection refused"/],
  ["fails for no known reason", raw("\u0005\u0077"), /"SOCKS5 error 119"/],
];
