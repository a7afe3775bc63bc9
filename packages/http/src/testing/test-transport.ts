import { TinkexError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { CANARY_KEY, witness, witnessLogger } from "@tinkex-tooling/canary";
import { HostileServer, type ListenOptions, type Move, type Rule } from "@tinkex-tooling/hostile-server";
import { expect, onTestFinished } from "vitest";
import { createTransport } from "../create-transport.js";
import type { TransportHooks } from "../hooks/transport-hooks.js";
import type { TinkexTransport } from "../tinkex-transport.js";
import type { TransportOptions } from "../transport-options.js";

// A machine with much to do may need a second for what takes a millisecond elsewhere.
const PATIENCE_MS = 15_000;

/** Expects what will hold before long. */
export function eventually<T>(read: () => T): ReturnType<typeof expect.poll<T>> {
  return expect.poll(read, { timeout: PATIENCE_MS });
}

/** A server that does the moves in turn, and the last one for ever; it ends with the test. */
export function play(...script: readonly (Move | Rule)[]): Promise<HostileServer> {
  return startServer({ script });
}

/** A server with all its options; it ends with the test. */
export async function startServer(options: ListenOptions): Promise<HostileServer> {
  const server = await HostileServer.start(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** Hooks that have every event witnessed. */
const WITNESS_HOOKS: TransportHooks = {
  onRequest: (event) => witness("onRequest", event),
  onResponse: (event) => witness("onResponse", event),
  onRetry: (event) => witness("onRetry", event),
};

/**
 * A transport to a server, with the canary for a key and its logs, events and errors witnessed, on a clock whose sleeps take no time; it ends with the test.
 */
export function transportTo(
  server: { readonly url: string },
  options: TransportOptions = {},
): TinkexTransport & { readonly clock: FakeClock } {
  const clock = new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) });
  const transport = createTransport({
    baseUrl: server.url,
    apiKey: CANARY_KEY,
    clock,
    random: () => 0,
    logger: witnessLogger,
    hooks: WITNESS_HOOKS,
    ...options,
  });
  onTestFinished(() => transport.close());
  return Object.assign(transport, { clock });
}

/** The error a call must end with. */
export async function failureOf(promise: Promise<unknown>): Promise<TinkexError> {
  try {
    await promise;
  } catch (error) {
    witness("error", error);
    if (error instanceof TinkexError) return error;
    throw error;
  }
  throw new Error("the call succeeded");
}

/** The sleeps a clock was asked for, in seconds. */
export function seconds(clock: FakeClock): number[] {
  return clock.sleeps.map((ms) => Math.round(ms) / 1000);
}

export function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

export function text(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}
