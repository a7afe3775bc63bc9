import { TensorMemory } from "@tinkex/tensor";
import { afterEach, expect, it, vi } from "vitest";
import { readPass } from "../testing/examples.js";
import { openTraining } from "../testing/open-training.js";
import { SpareMemories } from "./spare-memories.js";

afterEach(() => void vi.restoreAllMocks());

/** A datum whose lists are cast. */
const datumOf = (token: number) => ({
  model_input: [token, token],
  loss_fn_inputs: { target_tokens: [token, token], weights: [token / 8, 1] },
});

/** Targets and weights of the requests that arrived. */
function arrived(stub: Awaited<ReturnType<typeof openTraining>>["stub"]): unknown[] {
  return stub.seen("forward_backward").map((request) => {
    const { target_tokens: targets, weights } =
      readPass(request).forward_backward_input.data[0]?.loss_fn_inputs ?? {};
    return [[...(targets?.data ?? [])].map(Number), [...(weights?.data ?? [])]];
  });
}

it("casts the tensors of a pass into memory of one that was submitted, and each arrives as it was given", async () => {
  const cleared = vi.spyOn(TensorMemory.prototype, "clear");
  const { stub, training } = await openTraining();
  for (const token of [1, 2, 3]) await training.forwardBackward([datumOf(token)], "cross_entropy");
  await training.trainStep([datumOf(4)], "cross_entropy");
  expect(new Set(cleared.mock.contexts).size).toBe(1);
  expect(arrived(stub)).toEqual(
    [1, 2, 3, 4].map((token) => [
      [token, token],
      [token / 8, 1],
    ]),
  );
});

it("leaves passes that wait for their turn memory of their own", async () => {
  const { stub, training } = await openTraining();
  await training.forward([datumOf(9)], "cross_entropy");
  const tokens = [1, 2, 3, 4, 5];
  await Promise.all(
    [0, 1].flatMap((round) =>
      tokens.map((token) => training.forward([datumOf(token + 8 * round)], "cross_entropy")),
    ),
  );
  const given = [9, ...tokens, ...tokens.map((token) => token + 8)];
  expect(arrived(stub)).toEqual(
    given.map((token) => [
      [token, token],
      [token / 8, 1],
    ]),
  );
});

it("keeps the memory of a pass that failed from other passes", async () => {
  const cleared = vi.spyOn(TensorMemory.prototype, "clear");
  const { stub, training } = await openTraining();
  stub.on("forward_backward", () => ({ status: 400, body: { detail: "no" } }));
  await expect(training.forward([datumOf(1)], "cross_entropy")).rejects.toThrow("no");
  expect(cleared).not.toHaveBeenCalled();
});

it.each<[string, object]>([
  ["cannot be cast", { target_tokens: [1.5, 2] }],
  ["lacks what its loss reads", { weights: [1, 1] }],
])("keeps the memory that a batch took which %s", async (_, loss_fn_inputs) => {
  const cleared = vi.spyOn(TensorMemory.prototype, "clear");
  const { stub, training } = await openTraining();
  await training.forwardBackward([datumOf(1)], "cross_entropy");
  const bad = { model_input: [1, 2], loss_fn_inputs } as never;
  expect(() => training.forwardBackward([datumOf(2), bad], "cross_entropy")).toThrow("data[1]");
  expect(() => training.trainStep([datumOf(2), bad], "cross_entropy")).toThrow("data[1]");
  await training.forwardBackward([datumOf(3)], "cross_entropy");
  expect(cleared).toHaveBeenCalledTimes(4);
  expect(new Set(cleared.mock.contexts).size).toBe(1);
  expect(arrived(stub)).toEqual(
    [1, 3].map((token) => [
      [token, token],
      [token / 8, 1],
    ]),
  );
});

it("keeps 64 MiB", () => {
  const memories = new SpareMemories();
  const used = Array.from({ length: 9 }, () => new TensorMemory());
  for (const memory of used) {
    memory.int32(2 * 1024 * 1024);
    memory.clear();
    memory.int32(2 * 1024 * 1024);
    memories.giveBack(memory);
  }
  const kept = Array.from({ length: 9 }, () => memories.take()).filter((memory) => used.includes(memory));
  expect(kept).toHaveLength(8);
});
