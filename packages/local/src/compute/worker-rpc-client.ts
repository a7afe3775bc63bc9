import { AbortedError, ClosedError, deferred, TinkexError } from "@tinkex/base";
import type { EngineReply, EngineRequest, RemoteCall, RemoteMethods } from "./engine-protocol.js";
import { unpackError } from "./transferred-error.js";

/** A thread that serves an engine, as its caller sees it; a `Worker` is one. */
export interface EngineThread {
  postMessage(request: EngineRequest): void;
  on(event: "message", listener: (reply: EngineReply) => void): unknown;
  on(event: "error", listener: (error: unknown) => void): unknown;
  on(event: "exit", listener: (code: number) => void): unknown;
  /** Lets the thread alone keep the process alive, which `unref` ends. */
  ref(): void;
  unref(): void;
  /** Ends it at once, whatever it does. */
  terminate(): unknown;
}

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * RPC client of an engine's thread: sends calls and matches the answers to them. When the thread ends, however it does, all of them reject.
 * It keeps the process alive only while a call waits for its answer, and from {@link close} until the thread has ended.
 */
export class WorkerRpcClient {
  readonly #thread: EngineThread;
  readonly #exited: Promise<void>;
  readonly #pending = new Map<number, PendingCall>();
  readonly #lost = deferred<TinkexError>();
  #nextId = 0;
  /** Why no call can be made any more. */
  #ending: TinkexError | undefined;

  constructor(thread: EngineThread) {
    this.#thread = thread;
    thread.unref();
    thread.on("message", (reply) => this.#receive(reply));
    thread.on("error", (cause) => this.#end(threadLost(cause)));
    this.#exited = new Promise((resolve) => {
      thread.on("exit", (code) => {
        this.#end(threadLost(new Error(`exit code ${code}`)));
        resolve();
      });
    });
  }

  /** Resolves with the reason when the thread has ended without being told to. */
  get lost(): Promise<TinkexError> {
    return this.#lost.promise;
  }

  /** @throws AbortedError at once when the signal fires, ClosedError, or what the method threw in the thread */
  call<M extends keyof RemoteMethods>(
    method: M,
    args: Parameters<RemoteMethods[M]>,
    signal?: AbortSignal,
  ): ReturnType<RemoteMethods[M]> {
    // The thread answers a call with what that very method gives.
    return this.#send({ method, args } as RemoteCall, signal) as ReturnType<RemoteMethods[M]>;
  }

  /** Rejects what is pending with ClosedError and resolves when the thread has ended. */
  async close(): Promise<void> {
    if (this.#ending === undefined) {
      this.#end(new ClosedError("the engine is closed; start the server again"));
      this.#thread.postMessage({ kind: "close" });
    }
    this.#thread.ref();
    await this.#exited;
  }

  /** Does as {@link close}, and does not wait for what the thread is doing. */
  async terminate(): Promise<void> {
    this.#end(new ClosedError("the engine is closed; start the server again"));
    this.#thread.ref();
    this.#thread.terminate();
    await this.#exited;
  }

  #send(call: RemoteCall, signal: AbortSignal | undefined): Promise<unknown> {
    if (this.#ending) return Promise.reject(this.#ending);
    if (signal?.aborted) return Promise.reject(abortedBy(signal));
    const id = this.#nextId;
    this.#nextId += 1;
    const abort = () => {
      this.#thread.postMessage({ kind: "abort", id });
      this.#take(id)?.reject(signal && abortedBy(signal));
    };
    signal?.addEventListener("abort", abort, { once: true });
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#thread.ref();
      this.#thread.postMessage({ kind: "call", id, call });
    }).finally(() => signal?.removeEventListener("abort", abort));
  }

  #receive(reply: EngineReply): void {
    const waiting = this.#take(reply.id);
    if (reply.kind === "result") waiting?.resolve(reply.value);
    else waiting?.reject(unpackError(reply.error));
  }

  #take(id: number): PendingCall | undefined {
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    // Once it is to end, the process waits for it: what it still saves would be lost.
    if (this.#pending.size === 0 && this.#ending === undefined) this.#thread.unref();
    return waiting;
  }

  #end(error: TinkexError): void {
    if (this.#ending === undefined && !(error instanceof ClosedError)) this.#lost.resolve(error);
    this.#ending ??= error;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(this.#ending);
  }
}

function abortedBy(signal: AbortSignal): AbortedError {
  return new AbortedError("the call was aborted", { cause: signal.reason });
}

function threadLost(cause: unknown): TinkexError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new TinkexError(
    `the engine's thread ended unexpectedly (${why}); what was under way is lost, and nothing that was answered: submit it again`,
    { code: "request_failed", cause },
  );
}
