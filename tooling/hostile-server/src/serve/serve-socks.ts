import type { Socket } from "node:net";
import type { SocksMoves } from "../listen-options.js";
import type { Move } from "../script/move.js";
import type { SeenRequest } from "../seen-request.js";
import { performMove, type Stage } from "./perform-move.js";
import type { OnRequest } from "./serve-http1.js";
import { SocketLine } from "./socket-line.js";

const NO_LOGIN = 0;
const USER_AND_PASSWORD = 2;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;
/** Says that the connection stands, from an address of no interest. */
const STANDS = Uint8Array.of(5, 0, 0, IPV4, 0, 0, 0, 0, 0, 0);

/** One message of the client: what it says, and how long it is. */
interface Message<T> {
  readonly said: T;
  readonly byteLength: number;
}

/** Speaks SOCKS5 (RFC 1928, 1929) as far as a client of `CONNECT` needs it. */
export function serveSocks(
  socket: Socket,
  connection: number,
  onRequest: OnRequest,
  moves: SocksMoves,
  stage: Stage,
): void {
  let pending = Buffer.alloc(0);
  let login = "";
  const line = new SocketLine(socket, socket, STANDS);
  const seen = (method: string, path = ""): SeenRequest => ({
    method,
    path,
    headers: login === "" ? {} : { "proxy-authorization": login },
    body: Buffer.alloc(0),
    connection,
  });
  const reply = (method: string, move: Move | undefined, bytes: readonly number[]): void => {
    if (move === undefined) socket.write(Uint8Array.from(bytes));
    else performMove(move, seen(method), line, stage);
  };
  /** Takes a message off what has come. */
  const take = <T>(message: Message<T> | undefined): T | undefined => {
    if (message !== undefined) pending = pending.subarray(message.byteLength);
    return message?.said;
  };
  let step = (): boolean => {
    const ways = take(readWays(pending));
    if (ways === undefined) return false;
    const way = ways.includes(USER_AND_PASSWORD) ? USER_AND_PASSWORD : NO_LOGIN;
    reply("GREETING", moves.greeting, [5, way]);
    step = way === USER_AND_PASSWORD ? takeLogin : takeConnect;
    return true;
  };
  const takeLogin = (): boolean => {
    const given = take(readLogin(pending));
    if (given === undefined) return false;
    login = given;
    reply("LOGIN", moves.login, [1, 0]);
    step = takeConnect;
    return true;
  };
  const takeConnect = (): boolean => {
    const place = take(readPlace(pending));
    if (place === undefined) return false;
    onRequest(seen("CONNECT", place), line);
    step = () => false;
    return true;
  };
  socket.on("end", () => socket.end());
  socket.on("data", (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (step());
  });
}

function readWays([, count, ...ways]: Buffer): Message<readonly number[]> | undefined {
  if (count === undefined || ways.length < count) return undefined;
  return { said: ways.slice(0, count), byteLength: 2 + count };
}

function readLogin(bytes: Buffer): Message<string> | undefined {
  const userEnd = 2 + (bytes[1] ?? 0);
  const end = userEnd + 1 + (bytes[userEnd] ?? 0);
  if (bytes.byteLength < end) return undefined;
  const said = `${bytes.toString("utf8", 2, userEnd)}:${bytes.toString("utf8", userEnd + 1, end)}`;
  return { said, byteLength: end };
}

/** The place that a connection is wanted to, as `host:port`. */
function readPlace(bytes: Buffer): Message<string> | undefined {
  const kind = bytes[3];
  const start = kind === NAME ? 5 : 4;
  const length = kind === NAME ? bytes[4] : kind === IPV6 ? 16 : 4;
  if (length === undefined || bytes.byteLength < start + length + 2) return undefined;
  const host = bytes.subarray(start, start + length);
  const shown =
    kind === NAME ? host.toString("latin1") : kind === IPV6 ? `[${host.toString("hex")}]` : host.join(".");
  return { said: `${shown}:${bytes.readUInt16BE(start + length)}`, byteLength: start + length + 2 };
}
