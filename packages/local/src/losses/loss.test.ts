import { Datum, lossFnTypeSchema, type NamedTensors, type TensorData } from "@tinkex/types";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { zeroTensors } from "../adapter/adapter-tensors.js";
import type { EngineModel } from "../engine/engine.js";
import { multiply, subtract } from "../onnx/operators/elementwise.js";
import { toEngineData } from "../requests/engine-datum.js";
import { configureLoss, nameList, resolveLoss } from "../requests/resolve-loss.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { worstRelativeDifference } from "../training/testing/differences.js";
import { readGoldenAdapter } from "../training/testing/golden-adapter.js";
import type { GoldenCase } from "../training/testing/golden-case.js";
import { openGoldenModel, readGolden } from "../training/testing/golden-files.js";
import { createTrainer, type Trainer } from "../training/trainer.js";
import { defineLoss } from "./loss-definition.js";
import { isLossName, LOSSES } from "./loss-table.js";

describe("the table of losses", () => {
  const protocolNames =
    lossFnTypeSchema instanceof z.ZodEnum ? lossFnTypeSchema.options.map((name) => String(name)) : [];

  it("lists each loss under its own name, which the protocol has", () => {
    const names = Object.values(LOSSES).map(({ name }) => name);
    expect(names).toEqual(Object.keys(LOSSES));
    expect(protocolNames).toEqual(expect.arrayContaining(names));
  });

  // Losses that clients upload have no entry: server/custom-losses.test.ts runs them.
  it.each(protocolNames.filter((name) => name !== "custom"))("serves %s by its entry", (name) => {
    if (!isLossName(name)) return expect.fail(`no entry for ${name}`);
    expect(resolveLoss(name, undefined)).toEqual({ loss: LOSSES[name], config: LOSSES[name].config });
  });

  it("refuses other names, and says which it has", () => {
    const served = nameList([...Object.keys(LOSSES), "custom"]);
    expect(() => resolveLoss("orpo", undefined)).toThrow(
      `loss_fn must be one that this server computes (${served}), got "orpo"`,
    );
  });
});

/** `½·s·w·(p − a − m)²` with derivative `s·w·(p − a − m)`: tensors and settings that no loss of the table has. */
const anchored = defineLoss({
  name: "anchored",
  required: ["anchors"],
  optional: { weights: 1 },
  config: { scale: 2, margin: 0.25 },
  perToken: ["margin"],
  forward(graph, p, { anchors, weights, scale, margin }) {
    const distance = subtract(graph, subtract(graph, p, anchors), margin);
    const gradient = multiply(graph, multiply(graph, weights, scale), distance);
    return { loss: multiply(graph, multiply(graph, graph.scalar(0.5), gradient), distance), gradient };
  },
});

const golden = readGolden<GoldenCase>("lora/llama-r8-all/case.json");
const { config, weights } = openGoldenModel(golden.model);
const adapter = readGoldenAdapter("lora/llama-r8-all/adapter", config, golden.lora_config);
const model: EngineModel = { ...config, name: "test/one", directory: "/models/one", weights: "float32" };

const targets: TensorData = { data: [2, 3, 4], dtype: "int64" };
const floats = (...data: number[]): TensorData => ({ data: Float32Array.from(data), dtype: "float32" });
const datum = (inputs: NamedTensors) => Datum.of([1, 2, 3], inputs);

describe("a loss that is only an entry", () => {
  let trainer: Trainer;
  beforeAll(async () => {
    trainer = createTrainer({ config, weights, runtime: await createRuntime({ threads: 1 }) });
  });
  afterAll(() => trainer.release());

  it("trains with tensors and settings of its own, given or left out", async () => {
    const resolved = configureLoss(anchored, { scale: 0.5 });
    const data = toEngineData(
      [
        datum({
          target_tokens: targets,
          anchors: floats(-1, -5, -3),
          margin: floats(0, 1, 2),
          weights: floats(1, 0, 2),
        }),
        datum({ target_tokens: targets, anchors: floats(-2, -4, -6) }),
      ],
      resolved,
      model,
    );
    const gradients = zeroTensors(adapter);
    const request = { parameters: adapter, data, loss: anchored, lossConfig: resolved.config };
    const { logprobs, lossSum } = await trainer.pass({ ...request, gradients });

    const [first = [], second = []] = logprobs.map((ofDatum) => [...ofDatum]);
    const distances = [
      first.map((p, token) => p - ([-1, -5, -3][token] ?? 0) - token),
      second.map((p, token) => p - ([-2, -4, -6][token] ?? 0) - 0.25),
    ];
    const slopes = distances.map((row, index) =>
      row.map((distance, token) => 0.5 * distance * (index === 0 ? ([1, 0, 2][token] ?? 0) : 1)),
    );
    const expected = slopes.flatMap((row, index) =>
      row.map((slope, token) => 0.5 * slope * (distances[index]?.[token] ?? 0)),
    );
    const expectedSum = expected.reduce((sum, value) => sum + value);
    expect(lossSum / expectedSum).toBeCloseTo(1, 5);
    expect((await trainer.pass(request)).lossSum / expectedSum).toBeCloseTo(1, 5);

    // Cross entropy of minus the derivatives as weights has the same gradient.
    const surrogate = data.map((given, index) => ({
      ...given,
      lossInputs: { weights: Float32Array.from(slopes[index] ?? [], (slope) => -slope) },
    }));
    const same = zeroTensors(adapter);
    const crossEntropy = { loss: LOSSES.cross_entropy, lossConfig: {}, data: surrogate };
    await trainer.pass({ parameters: adapter, ...crossEntropy, gradients: same });
    expect(worstRelativeDifference(gradients, same)).toBeLessThan(5e-5);
  });

  it.each<[string, NamedTensors, string]>([
    [
      "without a tensor it needs",
      { target_tokens: targets },
      "data[0].loss_fn_inputs.anchors is missing; anchored needs target_tokens and anchors",
    ],
    [
      "with a tensor of another loss",
      { target_tokens: targets, anchors: floats(0, 0, 0), advantages: floats(0, 0, 0) },
      "data[0].loss_fn_inputs.advantages is not read by anchored; it reads target_tokens, anchors, weights and margin",
    ],
    [
      "with a tensor of another length",
      { target_tokens: targets, anchors: floats(0, 0) },
      "data[0].loss_fn_inputs.anchors must have the shape of target_tokens, [3], got [2]",
    ],
    [
      "with two targets a token",
      {
        target_tokens: { data: [1, 2, 3, 4, 5, 6], dtype: "int64", shape: [3, 2] },
        anchors: floats(0, 0, 0),
      },
      "data[0].loss_fn_inputs.target_tokens must be (N,) for anchored, got (N, K), which only cross_entropy takes",
    ],
  ])("refuses a datum %s", (_, inputs, message) => {
    const resolved = configureLoss(anchored, undefined);
    expect(() => toEngineData([datum(inputs)], resolved, model)).toThrow(message);
  });

  it("refuses a setting it does not have, and keeps the order of a pair that it names", () => {
    expect(() => configureLoss(anchored, { beta: 1 })).toThrow(
      "loss_fn_config.beta is unknown to anchored; its keys: scale and margin",
    );
    const ordered = defineLoss({ ...anchored, perToken: ["margin"], ascending: ["margin", "scale"] });
    expect(() => configureLoss(ordered, { margin: 3 })).toThrow(
      "loss_fn_config.margin must be at most scale 2, got 3",
    );
    const inputs = { target_tokens: targets, anchors: floats(0, 0, 0), margin: floats(1, 2, 2.5) };
    expect(() => toEngineData([datum(inputs)], configureLoss(ordered, undefined), model)).toThrow(
      "data[0].loss_fn_inputs.margin[2] must be at most scale 2, got 2.5",
    );
  });
});
