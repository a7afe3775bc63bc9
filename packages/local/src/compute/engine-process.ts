import { type ChildProcess, fork } from "node:child_process";
import type { EngineOptions } from "../engine/engine-options.js";
import type { EngineReply, EngineRequest } from "./engine-protocol.js";
import type { EnginePort } from "./serve-engine.js";
import type { EngineThread } from "./worker-rpc-client.js";

/**
 * Starts an engine in a process of its own, for callers whose environment the native runtime cannot see: a process gets
 * the environment it is given, a thread that of its process.
 *
 * @param file - the entry that serves the engine
 * @param env - the whole environment of the process
 */
export function startEngineProcess(
  file: string,
  options: EngineOptions,
  env: Readonly<Record<string, string | undefined>>,
): EngineThread {
  const child = fork(file, [JSON.stringify(options)], {
    env,
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  return {
    // A process that has ended says so by its exit; there is nobody to send to.
    postMessage: (request: EngineRequest) => void (child.connected && child.send(request)),
    // Both ends are of one package: what a message, an error or an exit brings is what the listener takes.
    on: (event: string, listener: (value: never) => void) =>
      child.on(event, (value: unknown) => listener(value as never)),
    ref: () => keepAlive(child, true),
    unref: () => keepAlive(child, false),
    terminate: () => child.kill("SIGKILL"),
  };
}

function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  if (isNeeded) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

/**
 * Opens the engine's end of the line to the process that started this one, with the options it gave. When that process
 * ends, however it does, the engine closes as if it had been told to.
 *
 * @throws Error in a process that {@link startEngineProcess} did not start
 */
export function parentProcess(): { readonly options: EngineOptions; readonly port: EnginePort } {
  const [, , options] = process.argv;
  if (process.send === undefined || options === undefined) {
    throw new Error("engine-worker runs only as the thread or the process of an engine");
  }
  const send = process.send.bind(process);
  const port: EnginePort = {
    postMessage: (reply: EngineReply) => void (process.connected && send(reply)),
    on(_event, listener) {
      process.once("disconnect", () => listener({ kind: "close" }));
      // The process that started this one is of the same package, and sends requests only.
      process.on("message", (request) => listener(request as EngineRequest));
    },
    close: () => {
      if (process.connected) process.disconnect();
    },
  };
  return { options: JSON.parse(options), port };
}
