import type { EngineReply, EngineRequest, RemoteCall } from "./engine-protocol.js";
import type { RecoverableEngine } from "./recoverable-engine.js";
import { resultBuffers } from "./result-buffers.js";
import { packError } from "./transferred-error.js";

/** The engine's end of the line between two threads; a `MessagePort` is one. */
export interface EnginePort {
  postMessage(reply: EngineReply, transfer?: readonly ArrayBuffer[]): void;
  on(event: "message", listener: (request: EngineRequest) => void): unknown;
  close(): void;
}

/** Answers calls that come through a port, until it is told to close. An engine that fails to start fails every call. */
export function serveEngine(port: EnginePort, starting: Promise<RecoverableEngine>): void {
  // A failure is the answer of every call; until the first one comes it must not count as unhandled.
  starting.catch(() => {});
  const aborts = new Map<number, AbortController>();
  const answer = async (id: number, call: RemoteCall) => {
    const abort = new AbortController();
    aborts.set(id, abort);
    try {
      const value = await perform(await starting, call, abort.signal);
      port.postMessage({ kind: "result", id, value }, resultBuffers(value));
    } catch (error) {
      port.postMessage({ kind: "error", id, error: packError(error) });
    } finally {
      aborts.delete(id);
    }
  };
  const close = async () => {
    await starting.then(
      (engine) => engine.close(),
      () => {},
    );
    port.close();
  };
  port.on("message", (request) => {
    switch (request.kind) {
      case "call":
        void answer(request.id, request.call);
        return;
      case "abort":
        aborts.get(request.id)?.abort();
        return;
      case "close":
        void close();
    }
  });
}

async function perform(engine: RecoverableEngine, call: RemoteCall, signal: AbortSignal): Promise<unknown> {
  switch (call.method) {
    case "describe":
      return { model: engine.model, runtime: engine.runtime, fingerprint: engine.fingerprint };
    case "createAdapter":
      return engine.createAdapter(...call.args);
    case "loadAdapter":
      return engine.loadAdapter(...call.args);
    case "saveAdapter":
      return engine.saveAdapter(...call.args);
    case "copyAdapter":
      return engine.copyAdapter(...call.args);
    case "releaseAdapter":
      return engine.releaseAdapter(...call.args);
    case "readWeights":
      return engine.readWeights(...call.args);
    case "readGradients":
      return engine.readGradients(...call.args);
    case "restoreAdapter":
      return engine.restoreAdapter(...call.args);
    case "pass":
      return engine.pass(...call.args);
    case "optimStep":
      return engine.optimStep(...call.args);
    case "sample":
      return engine.sample(...call.args, signal);
  }
}
