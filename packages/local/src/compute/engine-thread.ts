import type { EnginePort } from "./serve-engine.js";

/** Port to the thread that started this one. That of Deno cannot be closed: the thread ends by its global `close`. */
export type ParentPort = Omit<EnginePort, "close"> & { close?(): void };

/**
 * Opens the engine's end of the line to the thread that started this one.
 *
 * @param scope - global object of the thread
 */
export function parentThread(port: ParentPort, scope: object = globalThis): EnginePort {
  return {
    postMessage: (reply, transfer) => port.postMessage(reply, transfer),
    on: (event, listener) => port.on(event, listener),
    close() {
      if (port.close !== undefined) port.close();
      else if ("close" in scope && typeof scope.close === "function") scope.close();
    },
  };
}
