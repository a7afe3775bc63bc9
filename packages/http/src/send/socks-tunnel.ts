import { isIP, isIPv4, type Socket } from "node:net";
import type { buildConnector } from "undici";
import { TunnelError } from "../errors/tunnel-error.js";
import { proxyAnswer } from "./proxy-answer.js";

const VERSION = 5;
/** Version of the exchange of user name and password (RFC 1929). */
const LOGIN_VERSION = 1;
const NO_LOGIN = 0;
const USER_AND_PASSWORD = 2;
const NO_WAY = 0xff;
const CONNECT = 1;
/** Kinds of address, by the byte that stands before one. */
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

/** Reasons for which a proxy makes no connection, by their byte (RFC 1928, 6). */
const REFUSALS: Readonly<Record<number, string>> = {
  1: "general failure",
  2: "not allowed",
  3: "network unreachable",
  4: "host unreachable",
  5: "connection refused",
  6: "TTL expired",
  7: "command not supported",
  8: "address type not supported",
};

/**
 * Has a SOCKS5 proxy lead a connection on to a server (RFC 1928, 1929). It looks up names itself. Written here because undici's own
 * waits for fixed times, cannot be left, and is said to be an experiment.
 */
export async function socksTunnel(socket: Socket, proxy: URL, target: buildConnector.Options): Promise<void> {
  const login = loginOf(proxy);
  const ways = login === undefined ? [NO_LOGIN] : [NO_LOGIN, USER_AND_PASSWORD];
  const way = await ask(socket, [VERSION, ways.length, ...ways], (bytes) => readPair(bytes, VERSION));
  if (way === USER_AND_PASSWORD && login !== undefined) {
    const refused = await ask(socket, login, (bytes) => readPair(bytes, LOGIN_VERSION));
    if (refused !== 0) throw TunnelError.loginRefused(true);
  } else if (way === NO_WAY) {
    throw TunnelError.loginRefused(login !== undefined);
  } else if (way !== NO_LOGIN) {
    throw TunnelError.notSpoken("SOCKS5");
  }
  const reply = await ask(socket, connectRequest(target), readReply);
  if (reply !== 0) throw TunnelError.refusedFor(REFUSALS[reply] ?? `SOCKS5 error ${reply}`);
}

function ask<T>(
  socket: Socket,
  bytes: ArrayLike<number>,
  read: (bytes: Buffer) => T | TunnelError | undefined,
): Promise<T> {
  const answered = proxyAnswer(socket, read);
  socket.write(Buffer.from(bytes));
  return answered;
}

/** The bytes of a login, where the proxy's address has one; a name longer than SOCKS5 can say is one the proxy refuses. */
function loginOf({ username, password }: URL): Buffer | undefined {
  if (username === "" && password === "") return undefined;
  const parts = [username, password].map((part) =>
    withLength(decodeURIComponent(part), () => TunnelError.loginRefused(true)),
  );
  return Buffer.concat([Buffer.of(LOGIN_VERSION), ...parts]);
}

function withLength(text: string, tooLong: () => TunnelError): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.byteLength > 255) throw tooLong();
  return Buffer.concat([Buffer.of(bytes.byteLength), bytes]);
}

function connectRequest({ hostname, port, protocol }: buildConnector.Options): Buffer {
  const place = Buffer.alloc(2);
  place.writeUInt16BE(Number(port === "" ? (protocol === "https:" ? 443 : 80) : port));
  return Buffer.concat([Buffer.of(VERSION, CONNECT, 0), addressBytes(hostname), place]);
}

function addressBytes(hostname: string): Buffer {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIPv4(host)) return Buffer.from([IPV4, ...host.split(".").map(Number)]);
  if (isIP(host) === 6) return Buffer.from([IPV6, ...ipv6Bytes(host)]);
  return Buffer.concat([Buffer.of(NAME), withLength(host, nameTooLong)]);
}

function nameTooLong(): TunnelError {
  return TunnelError.refusedFor("the host's name is longer than SOCKS5 can say");
}

/** An IPv6 address as a URL spells it: groups in hexadecimal, and `::` for a run of zeros. */
function ipv6Bytes(address: string): number[] {
  const [before = "", after] = address.split("::", 2);
  const groups = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const head = groups(before);
  const tail = groups(after ?? "");
  const zeros = Array<number>(8 - head.length - tail.length).fill(0);
  return [...head, ...zeros, ...tail].flatMap((group) => [group >> 8, group & 0xff]);
}

/** Reads the second byte of an answer of two. */
function readPair(bytes: Buffer, version: number): number | TunnelError | undefined {
  if (bytes[0] !== version || bytes.byteLength > 2) return TunnelError.notSpoken("SOCKS5");
  return bytes[1];
}

/** Reads whether the connection was made: version, reply, a zero, an address and a port. */
function readReply(bytes: Buffer): number | TunnelError | undefined {
  const [version, reply, , kind, nameLength] = bytes;
  if (version !== VERSION) return TunnelError.notSpoken("SOCKS5");
  // Some proxies say no more than the reason.
  if (reply === undefined || reply !== 0) return reply;
  if (kind === undefined || (kind === NAME && nameLength === undefined)) return undefined;
  const addressLength = { [IPV4]: 4, [NAME]: 1 + (nameLength ?? 0), [IPV6]: 16 }[kind];
  // Behind the proxy nobody speaks before we do.
  if (addressLength === undefined || bytes.byteLength > 6 + addressLength)
    return TunnelError.notSpoken("SOCKS5");
  return bytes.byteLength === 6 + addressLength ? reply : undefined;
}
