import type { Datum } from "@tinkex/types";
import { BodyMemory } from "@tinkex/wire";
import { afterEach, expect, it, vi } from "vitest";
import { readPass } from "../testing/examples.js";
import { openTraining } from "../testing/open-training.js";

/** Large enough for its body to be worth keeping. */
function largeDatum(token: number): Datum {
  const tokens = new Int32Array(20_000).fill(token);
  return {
    model_input: { chunks: [{ type: "encoded_text", tokens }] },
    loss_fn_inputs: { target_tokens: { data: tokens, dtype: "int64", shape: [tokens.length] } },
  };
}

afterEach(() => void vi.restoreAllMocks());

function watchMemory(): { readonly taken: ArrayBuffer[]; readonly givenBack: ArrayBuffer[] } {
  const watched = { taken: [] as ArrayBuffer[], givenBack: [] as ArrayBuffer[] };
  const { take, giveBack } = BodyMemory.prototype;
  vi.spyOn(BodyMemory.prototype, "take").mockImplementation(function (this: BodyMemory, byteLength) {
    const memory = take.call(this, byteLength);
    watched.taken.push(memory.buffer);
    return memory;
  });
  vi.spyOn(BodyMemory.prototype, "giveBack").mockImplementation(function (this: BodyMemory, body) {
    watched.givenBack.push(body.buffer as ArrayBuffer);
    giveBack.call(this, body);
  });
  return watched;
}

it("writes a request into the memory of one that was accepted, and each arrives as it was given", async () => {
  const { taken } = watchMemory();
  const { stub, training } = await openTraining();
  for (const token of [1, 2, 3]) await training.forward([largeDatum(token)], "cross_entropy");
  expect(new Set(taken).size).toBe(1);
  const arrived = stub.seen("forward_backward").map((request) => {
    const [chunk] = readPass(request).forward_backward_input.data[0]?.model_input.chunks ?? [];
    return new Set(chunk !== undefined && "tokens" in chunk ? chunk.tokens : []);
  });
  expect(arrived).toEqual([new Set([1]), new Set([2]), new Set([3])]);
});

it("gives nothing back of a request that the service did not take", async () => {
  const { taken, givenBack } = watchMemory();
  const { stub, training } = await openTraining();
  stub.on("forward_backward", () => ({ status: 400, body: { detail: "no" } }));
  await expect(training.forward([largeDatum(1)], "cross_entropy")).rejects.toThrow("no");
  expect(taken).toHaveLength(1);
  expect(givenBack).toHaveLength(0);
});
