import type { Dispatcher } from "undici";

/**
 * A handler with both of undici's interfaces: up to major 6 there are `onConnect`, `onHeaders` and so on, from 7 on
 * `onRequestStart`, `onResponseStart` and so on. So a dispatcher that a user brings may be of any major.
 */
export function anyMajorHandler(handler: Required<CurrentHandler>): Dispatcher.DispatchHandler {
  let abortRequest: (reason: Error) => void = () => {};
  const controller: Dispatcher.DispatchController = {
    aborted: false,
    paused: false,
    reason: null,
    abort: (reason) => abortRequest(reason),
    pause: () => {},
    resume: () => {},
  };
  return {
    onRequestStart: (current, context) => handler.onRequestStart(current, context),
    onResponseStart: (current, status, headers) => handler.onResponseStart(current, status, headers),
    onResponseData: (current, chunk) => handler.onResponseData(current, chunk),
    onResponseEnd: (current, trailers) => handler.onResponseEnd(current, trailers),
    onResponseError: (current, error) => handler.onResponseError(current, error),
    onConnect: (abort) => {
      abortRequest = abort;
      handler.onRequestStart(controller, {});
    },
    onHeaders: (status, rawHeaders) => {
      handler.onResponseStart(controller, status, namedHeaders(rawHeaders));
      return true;
    },
    onData: (chunk) => {
      handler.onResponseData(controller, chunk);
      return true;
    },
    onComplete: () => handler.onResponseEnd(controller, {}),
    onError: (error) => handler.onResponseError(controller, error),
  };
}

type CurrentHandler = Pick<
  Dispatcher.DispatchHandler,
  "onRequestStart" | "onResponseStart" | "onResponseData" | "onResponseEnd" | "onResponseError"
>;

/** The older interface gives names and values as bytes, in turn. */
function namedHeaders(raw: readonly Uint8Array[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i < raw.length; i += 2) {
    const name = Buffer.from(raw[i] ?? [])
      .toString("latin1")
      .toLowerCase();
    const value = Buffer.from(raw[i + 1] ?? []).toString("latin1");
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}
