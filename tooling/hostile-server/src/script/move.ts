/** Headers of an answer; a list goes out as so many lines. */
export type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

/** An answer that HTTP has nothing against. */
export interface AnswerMove {
  readonly do: "answer";
  readonly status: number;
  readonly headers: HeaderValues;
  readonly body: Uint8Array;
}

/** How a tunnel breaks off: after so many bytes of the server behind have passed, with a move. */
export interface TunnelCut {
  readonly byteLength: number;
  readonly next: Move;
}

/** What the server does about one request: data, so that it crosses to the server's process. */
export type Move =
  | AnswerMove
  /** These bytes, in latin-1, and no others. HTTP/1.1 alone. */
  | { readonly do: "raw"; readonly text: string }
  /** Takes the request and says nothing. */
  | { readonly do: "stall" }
  /** Breaks the connection off (TCP RST). */
  | { readonly do: "reset" }
  /** Closes the connection in good order. */
  | { readonly do: "hang_up" }
  /** Ends the server's own side and goes on listening. HTTP/1.1 alone. */
  | { readonly do: "half_close" }
  /** Sends the first bytes of an answer, its head included over HTTP/1.1, then does something else. */
  | { readonly do: "cut"; readonly byteLength: number; readonly of: AnswerMove; readonly next: Move }
  /** Sends the body a byte at a time. */
  | { readonly do: "trickle"; readonly of: AnswerMove; readonly everyMs: number }
  /** These bytes, in latin-1, one at a time. HTTP/1.1 alone. */
  | { readonly do: "drip"; readonly text: string; readonly everyMs: number }
  /** Answers a CONNECT and passes bytes to and fro between its sender and a port of this machine. HTTP/1.1 and SOCKS5 alone. */
  | { readonly do: "tunnel"; readonly port: number; readonly cut?: TunnelCut }
  /** Passes the request on to a port of this machine, and gives what is answered there, or does `instead` once that has come. */
  | { readonly do: "relay"; readonly port: number; readonly instead?: Move }
  /** Does `move` about every so many-th of the requests that come to it, and `otherwise` about the rest. */
  | { readonly do: "every"; readonly nth: number; readonly move: Move; readonly otherwise: Move }
  | { readonly do: "wait"; readonly ms: number; readonly next: Move }
  | { readonly do: "in_turn"; readonly moves: readonly Move[] }
  /** Takes leave of the connection (GOAWAY), which may go on to serve what has begun. HTTP/2 alone. */
  | { readonly do: "go_away" }
  /** Breaks off the one request (RST_STREAM with this code). HTTP/2 alone. */
  | { readonly do: "reset_stream"; readonly code: number }
  /** The part of the file that the request's `Range` asks for, if its `If-Range` fits. */
  | {
      readonly do: "file";
      readonly content: Uint8Array;
      readonly etag: string;
      /** Bytes after which an answer without `Range` stops. */
      readonly stopAfter?: number;
      /** Bytes after which every answer is broken off. */
      readonly cutEvery?: number;
    }
  /** Does the work of a request, once per idempotency key, notes it in the ledger, and may answer `{ "echo": … }`. */
  | { readonly do: "work"; readonly answers: boolean }
  /** One of the faults, for that share of the requests; the numbers are those of the seed. */
  | {
      readonly do: "gamble";
      readonly share: number;
      readonly seed: number;
      readonly faults: readonly Move[];
      readonly otherwise: Move;
    };
