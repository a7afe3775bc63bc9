import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { CallPath } from "./call-path.js";
import type { CallName } from "./calls.js";

/** Long enough for a busy machine; a child that hangs ends all the same. */
const TIMEOUT_MS = 120_000;
/** Runs the client from the sources of all packages. */
const FROM_SOURCES = ["--conditions=@tinkex/source", "--import=./load-sources.mjs"];

/** Starts the built local server in one process and measures the calls of a client in another. */
export async function measureCalls(): Promise<Readonly<Record<CallName, CallPath>>> {
  const server = start(["serve-local.mjs"]);
  try {
    const baseUrl = await firstLine(server);
    return JSON.parse(await output(start([...FROM_SOURCES, "walk-calls.ts", baseUrl])));
  } finally {
    const ended = server.exitCode === null ? once(server, "exit") : undefined;
    server.stdin?.end();
    await ended;
  }
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ["pipe", "pipe", "inherit"],
    timeout: TIMEOUT_MS,
  });
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout !== null) for await (const line of createInterface(stdout)) return line;
  throw new Error("serve-local.mjs ended before it printed an address: build the packages first");
}

async function output(child: ChildProcess): Promise<string> {
  const [printed] = await Promise.all([child.stdout === null ? "" : text(child.stdout), once(child, "exit")]);
  if (child.exitCode !== 0) throw new Error(`walk-calls.ts ended with code ${child.exitCode}`);
  return printed;
}
