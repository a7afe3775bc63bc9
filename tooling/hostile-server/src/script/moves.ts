import type { AnswerMove, HeaderValues, Move } from "./move.js";

/** An ordinary answer. Objects go out as JSON; headers given here win, a false `content-length` included. */
export function answer(status: number, body: unknown = {}, headers: HeaderValues = {}): AnswerMove {
  const isPlain = typeof body === "string" || body instanceof Uint8Array;
  const bytes = body instanceof Uint8Array ? body : Buffer.from(isPlain ? body : JSON.stringify(body));
  const own = {
    "content-type": isPlain ? "text/plain" : "application/json",
    "content-length": String(bytes.byteLength),
  };
  return { do: "answer", status, headers: { ...own, ...headers }, body: bytes };
}

/** These bytes and no others; the connection stays open. */
export function raw(...parts: readonly string[]): Move {
  return { do: "raw", text: parts.join("") };
}

/** Takes the request and says nothing. */
export const stall: Move = { do: "stall" };

/** Breaks the connection off without an answer. */
export const reset: Move = { do: "reset" };

/** Closes the connection in good order, without an answer. */
export const hangUp: Move = { do: "hang_up" };

/** Ends the server's side of the connection and goes on listening. */
export const halfClose: Move = { do: "half_close" };

/** Takes leave of an HTTP/2 connection. */
export const goAway: Move = { do: "go_away" };

/** Breaks off one HTTP/2 request; the code is INTERNAL_ERROR unless another is given. */
export function resetStream(code = 2): Move {
  return { do: "reset_stream", code };
}

/** Promises `promised` bytes of body, sends `text`, then does `move`. */
export function cutShort(promised: number, text: string, move: Move): Move {
  const of = answer(200, text, { "content-length": String(promised) });
  return { do: "cut", byteLength: Number.POSITIVE_INFINITY, of, next: move };
}

/** Sends the first `byteLength` bytes of an answer, its head included, then does `move`. */
export function cutAt(byteLength: number, of: AnswerMove, move: Move): Move {
  return { do: "cut", byteLength, of, next: move };
}

/** Sends a body one byte at a time. */
export function trickle(text: string, everyMs: number): Move {
  return { do: "trickle", of: answer(200, text), everyMs };
}

/** These bytes and no others, one at a time: a head that never gets done. */
export function drip(text: string, everyMs: number): Move {
  return { do: "drip", text, everyMs };
}

/** Serves a CONNECT as proxies do: whatever host was asked for, it leads to this port of this machine. */
export function tunnel(port: number): Move {
  return { do: "tunnel", port };
}

/** Serves a CONNECT, passes the first `byteLength` bytes of what the port sends back and no more, then does `move`. */
export function tunnelCutAt(byteLength: number, port: number, move: Move): Move {
  return { do: "tunnel", port, cut: { byteLength, next: move } };
}

/** Passes a request on to the server at this port, whose answer becomes ours; without a server there the connection is reset. */
export function relay(port: number): Move {
  return { do: "relay", port };
}

/** Passes a request on, waits for the answer, and does a move in its place: the work is done, and the client is not told. */
export function relayThen(port: number, instead: Move): Move {
  return { do: "relay", port, instead };
}

/** Does a move about each third request, say, and `otherwise` about those between. */
export function every(nth: number, move: Move, otherwise: Move): Move {
  return { do: "every", nth, move, otherwise };
}

/** Does a move some milliseconds later. */
export function after(ms: number, move: Move): Move {
  return { do: "wait", ms, next: move };
}

/** One move after the other. */
export function inTurn(...moves: readonly Move[]): Move {
  return { do: "in_turn", moves };
}

/** A stored file, served in parts where asked; an answer without `Range` stops after `stopAfter` bytes and stays open. */
export function file(content: Uint8Array, etag: string, stopAfter?: number): Move {
  return { do: "file", content, etag, ...(stopAfter === undefined ? {} : { stopAfter }) };
}

/** A stored file whose connection breaks after each `byteLength` bytes, so that it takes many requests to get all of it. */
export function fileCutEvery(byteLength: number, content: Uint8Array, etag: string): Move {
  return { do: "file", content, etag, cutEvery: byteLength };
}

/** Does the work of a request, as the ledger tells, and answers with the number of its call. */
export const work: Move = { do: "work", answers: true };

/** Does the work of a request and says nothing: whatever comes next, the work is done. */
export const workUnanswered: Move = { do: "work", answers: false };

/** One of the faults for a share of the requests, and `otherwise` for the rest. */
export function gamble(share: number, seed: number, faults: readonly Move[], otherwise: Move): Move {
  return { do: "gamble", share, seed, faults, otherwise };
}

/** A burst of refusals that ask for a pause of `retryAfterSeconds` each. */
export function storm(count: number, retryAfterSeconds: number): Move[] {
  return Array.from({ length: count }, () => answer(429, {}, { "retry-after": String(retryAfterSeconds) }));
}

/** Sends the client elsewhere. */
export function redirect(status: number, location: string): Move {
  return answer(status, "", { location });
}
