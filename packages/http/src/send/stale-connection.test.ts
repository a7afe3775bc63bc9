import { setTimeout as delay } from "node:timers/promises";
import { answer, cutAt, hangUp, reset } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import type { RetryEvent } from "../hooks/transport-hooks.js";
import { failureOf, play, transportTo } from "../testing/test-transport.js";

describe("a kept connection that the server lets go as a request arrives", () => {
  it.each([
    ["reset", reset, "ECONNRESET"],
    ["closed", hangUp, "UND_ERR_SOCKET"],
  ])(
    "%s: the request goes out again at once, and the error of the call tells of it",
    async (_, move, what) => {
      const server = await play(answer(200), move, answer(409, { detail: "the name is taken" }));
      const retries: RetryEvent[] = [];
      const hooks = { onRetry: (event: RetryEvent) => retries.push(event) };
      const transport = transportTo(server, { hooks });
      await transport.call({ operation: "save_weights" });
      // Else undici opens a second connection while it readies the one that just came free.
      await delay(20);
      const error = await failureOf(transport.call({ operation: "save_weights" }));
      // The name may be taken by the very request that was lost: that it may have arrived must not be forgotten.
      expect(error).toMatchObject({
        status: 409,
        attempts: 2,
        earlierTries: [{ what, pauseMs: 0, mayHaveArrived: true }],
      });
      expect(retries).toEqual([{ operation: "save_weights", attempts: 1, outcome: what, delayMs: 0 }]);
      expect(transport.clock.sleeps).toEqual([]);
    },
  );
});

describe("a new connection that breaks within the head of its first answer", () => {
  it.each([
    ["status line", 12],
    ["headers", 40],
  ])("(%s) is no stale one: the request goes out again after the usual pause", async (_, byteCount) => {
    const server = await play(cutAt(byteCount, answer(200), hangUp), answer(200));
    const transport = transportTo(server);
    const { attempts } = await transport.call({ operation: "get_info" });
    expect(attempts).toBe(2);
    expect(transport.clock.sleeps).toEqual([1000]);
  });
});
