import { TinkexError } from "@tinkex/base";
import { BodyPieces } from "../body/body-pieces.js";
import { isStreamed, readStreamed } from "../body/streamed-body.js";
import type { Answer, TryOutcome } from "../errors/try-outcome.js";
import type { CallLifetime } from "../limits/call-lifetime.js";
import { TryTimers } from "../limits/try-timers.js";
import type { WireRequest } from "../request/wire-request.js";
import type { Sender } from "./sender.js";

/** Sends with a `fetch` that the user brings. */
export class FetchSender implements Sender {
  readonly #fetch: typeof fetch;

  constructor(fetchImplementation: typeof fetch) {
    this.#fetch = fetchImplementation;
  }

  send(request: WireRequest, lifetime: CallLifetime): Promise<TryOutcome> {
    const controller = new AbortController();
    return lifetime.during(({ resolve, reject }) => {
      const expire = (outcome: TryOutcome): void => {
        resolve(outcome);
        controller.abort();
      };
      const { timeouts, body, isBackground } = request;
      const timers = new TryTimers(timeouts, body?.byteLength ?? 0, expire, isBackground);
      const sent = isStreamed(body) ? readStreamed(body) : body;
      lifetime.isUnderWay = true;
      this.#receive(request, sent, controller.signal, timers)
        .then(resolve, (error) => {
          const cause = innermost(error);
          if (TinkexError.isInstance(cause)) reject(cause);
          else resolve({ kind: "broken", cause, isStaleConnection: false });
        })
        .finally(() => {
          timers.stop();
          // A fetch that was answered before all was read may leave the source of the body open.
          if (sent !== undefined && !(sent instanceof Uint8Array)) sent.return().catch(() => {});
        });
      return () => {
        timers.stop();
        controller.abort();
      };
    });
  }

  get sockets(): undefined {
    return undefined;
  }

  renew(): void {
    // The connections belong to whoever made the fetch.
  }

  async close(): Promise<void> {}

  async #receive(
    request: WireRequest,
    sent: Uint8Array | Pieces | undefined,
    signal: AbortSignal,
    timers: TryTimers,
  ): Promise<Answer> {
    const { origin, path, method, headers } = request;
    // Called as a function alone: that of Cloudflare Workers refuses to be anybody's method.
    const send = this.#fetch;
    const response = await send(origin + path, {
      method,
      headers: pairs(headers),
      ...fetchBody(sent),
      redirect: "manual",
      signal,
    });
    if (signal.aborted) {
      // Nobody waits for the answer of a fetch that did not heed its signal.
      await response.body?.cancel();
      signal.throwIfAborted();
    }
    timers.watchSilence();
    const body = new BodyPieces(response.status, request.maxAnswerBytes);
    for await (const piece of response.body ?? []) {
      timers.isSilent = false;
      if (!body.add(piece)) break;
    }
    const answerHeaders = Object.fromEntries(response.headers);
    // fetch has unpacked the body already.
    delete answerHeaders["content-encoding"];
    return {
      kind: "answer",
      status: response.status,
      headers: answerHeaders,
      body: body.join(),
    };
  }
}

type Pieces = ReturnType<typeof readStreamed>;

/** Of a streamed body fetch needs to know that the answer may come only after all of it. */
function fetchBody(body: Uint8Array | Pieces | undefined): RequestInit {
  if (body === undefined) return {};
  // Over a copy of the type alone: fetch wants to know that the memory is not shared between threads.
  if (body instanceof Uint8Array) return { body: body as Uint8Array<ArrayBuffer> };
  return { body: ReadableStream.from(body), duplex: "half" };
}

function pairs(list: readonly string[]): [string, string][] {
  const result: [string, string][] = [];
  for (let i = 0; i < list.length; i += 2) result.push([list[i] ?? "", list[i + 1] ?? ""]);
  return result;
}

/** fetch says "fetch failed" and keeps the socket's error, whose code tells more, as the cause. */
function innermost(error: unknown): unknown {
  return error instanceof TypeError && error.cause !== undefined ? error.cause : error;
}
