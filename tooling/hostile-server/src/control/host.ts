import { type ChildProcess, fork } from "node:child_process";
import { sourceProgram } from "@tinkex-tooling/source-program";
import type { LedgerEntry } from "../ledger-entry.js";
import type { ListenOptions } from "../listen-options.js";
import type { Command, Notice, Reply } from "./messages.js";

/** Told of what happens at one server. */
export type OnNotice = (notice: Notice & { readonly server: number }) => void;

/** A command before it has its number. */
type Asked = Command extends infer Each
  ? Each extends { readonly id: number }
    ? Omit<Each, "id">
    : never
  : never;

/** This process's end of the channel to the process in which its servers live. */
export class Host {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, { resolve(reply: Reply): void; reject(error: Error): void }>();
  readonly #watchers = new Map<number, OnNotice>();
  #lastId = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on("message", (message: Reply | Notice) => this.#receive(message));
    child.on("exit", (code) => {
      const error = new Error(`the process of the hostile servers ended with code ${code}`);
      for (const { reject } of this.#pending.values()) reject(error);
      this.#pending.clear();
    });
  }

  static async start(): Promise<Host> {
    const program = await sourceProgram(`import "../host-process.ts";`, import.meta.url);
    const child = fork(program.file, { execArgv: ["--enable-source-maps"], serialization: "advanced" });
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`the hostile server did not start (code ${code})`)));
    }).finally(() => program.remove());
    // Servers keep no test process alive; theirs ends with the channel.
    child.unref();
    child.channel?.unref();
    return new Host(child);
  }

  async listen(options: ListenOptions): Promise<Reply & { readonly tell: "listening" }> {
    const reply = await this.#ask({ ask: "listen", options });
    if (reply.tell !== "listening") throw unexpected(reply);
    return reply;
  }

  /** From now on `onNotice` hears of a server; to be called as soon as its number is known. */
  watch(server: number, onNotice: OnNotice): void {
    this.#watchers.set(server, onNotice);
  }

  async ledger(server: number): Promise<readonly LedgerEntry[]> {
    const reply = await this.#ask({ ask: "ledger", server });
    if (reply.tell !== "ledger") throw unexpected(reply);
    return reply.entries;
  }

  async breakConnections(server: number): Promise<void> {
    await this.#ask({ ask: "break_connections", server });
  }

  async close(server: number): Promise<void> {
    await this.#ask({ ask: "close", server });
    this.#watchers.delete(server);
  }

  async #ask(command: Asked): Promise<Reply> {
    this.#lastId += 1;
    const id = this.#lastId;
    // Someone waits for the reply: until then the channel may keep the process alive.
    this.#child.channel?.ref();
    try {
      const reply = await new Promise<Reply>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        this.#send({ ...command, id });
      });
      if (reply.tell === "failed") throw new Error(reply.message);
      return reply;
    } finally {
      if (this.#pending.size === 0) this.#child.channel?.unref();
    }
  }

  #receive(message: Reply | Notice): void {
    if ("id" in message) {
      this.#pending.get(message.id)?.resolve(message);
      this.#pending.delete(message.id);
    } else if (message.tell !== "ready") {
      this.#watchers.get(message.server)?.(message);
      // What a server was sent is known here before anything of the answer is: tests may look at it at once.
      if (message.tell === "request") this.#send({ ask: "proceed", server: message.server });
    }
  }

  #send(command: Command): void {
    if (this.#child.connected) this.#child.send(command);
  }
}

function unexpected({ tell }: Reply): Error {
  return new Error(`the hostile server answered "${tell}" to another question`);
}

let host: Promise<Host> | undefined;

/** The host of this process, started at the first use. */
export function hostOfThisProcess(): Promise<Host> {
  host ??= Host.start();
  return host;
}
