import { expect, it } from "vitest";
import { checkProvenance } from "./check-provenance.js";
import { trajectoryDatums } from "./trajectory-datums.js";

const turn = (more: object = {}) => ({ prompt: [1, 2], tokens: [3, 4], logprobs: [-1, -2], ...more });

it("cookbook 22: the mask is beside the datum and not in it, and the origin of every token is", () => {
  const [found] = trajectoryDatums([turn({ sequenceId: "s" })], 1);
  expect(Object.keys(found?.datum.loss_fn_inputs ?? {}).sort()).toEqual([
    "advantages",
    "logprobs",
    "target_tokens",
  ]);
  expect(Array.from(found?.mask ?? [])).toEqual([0, 1, 1]);
  expect(found?.datum.loss_fn_input_spans).toEqual([
    { type: "prompt_tokens", sequence_id: "s", offset: 1, length: 1 },
    { type: "sampled_tokens", sequence_id: "s", offset: 0, length: 2 },
  ]);
});

it("cookbook 22: one sample of unknown origin leaves the datum without any, which stable_reinforce refuses", () => {
  const known = trajectoryDatums([turn({ sequenceId: "s" })], 1);
  expect(() => checkProvenance(known)).not.toThrow();
  const second = { prompt: [1, 2, 3, 4, 5], tokens: [6], logprobs: [-1] };
  const [mixed] = trajectoryDatums([turn({ sequenceId: "s" }), second], 1);
  expect(mixed?.datum.loss_fn_input_spans).toBeUndefined();
  expect(() => checkProvenance([...known, ...trajectoryDatums([turn()], 1)])).toThrow(
    /rl: stable_reinforce needs the origin of every sampled token, and example 1 of the step has a sample without a sequence_id; use another lossFn/,
  );
});

it("holds no empty chunk, whatever the prompt has", () => {
  const empty = { type: "encoded_text", tokens: [] } as const;
  const text = (tokens: number[]) => ({ type: "encoded_text", tokens }) as const;
  const [found] = trajectoryDatums([turn({ prompt: { chunks: [empty, text([1]), empty, text([2])] } })], 1);
  expect(found?.datum.model_input.chunks).toEqual([{ type: "encoded_text", tokens: [1, 2, 3] }]);
});
