import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { adaptedModules } from "../adapter/adapter-parameters.js";
import { crossEntropy } from "../losses/cross-entropy.js";
import { weightShapes } from "../model/weight-shapes.js";
import { ModelProtoSchema } from "../onnx/generated/onnx_pb.js";
import { openGoldenModel } from "./testing/golden-files.js";
import { type TrainingGraphOptions, trainingGraph } from "./training-graph.js";

const { config, weights } = openGoldenModel("tiny-llama");

/** A vocabulary of a million ids, whose adapters are not merged. Its weights lie in a file that nobody reads here. */
function largeModel(): Pick<TrainingGraphOptions, "config" | "weights"> {
  const large = { ...config, vocabularySize: 2 ** 20 };
  const shapes = weightShapes(large);
  const stored = (name: string) => {
    const shape = shapes.get(name) ?? [];
    const byteLength = shape.reduce((product, length) => product * length, Float32Array.BYTES_PER_ELEMENT);
    return { shape, place: { folder: "/", file: "weights", offset: 0, byteLength } };
  };
  return { config: large, weights: { ...weights, stored } };
}

function graphOf(
  parts: { attention?: boolean; mlp?: boolean; unembedding?: boolean },
  backward = true,
  model: Pick<TrainingGraphOptions, "config" | "weights"> = { config, weights },
) {
  const { attention = false, mlp = false, unembedding = false } = parts;
  const shape = { rank: 1, trainAttention: attention, trainMlp: mlp, trainUnembedding: unembedding };
  const adapted = new Set(adaptedModules(config, shape).map(({ module }) => module));
  return trainingGraph({ ...model, adapted, loss: crossEntropy, backward });
}

const count = (operators: readonly string[], operator: string) =>
  operators.filter((name) => name === operator).length;

describe("trainingGraph", () => {
  it("computes nothing below the lowest adapter", () => {
    const forward = graphOf({ unembedding: true }, false);
    const head = graphOf({ unembedding: true });
    // Rotations and softmaxes of the layers would come again in their backward halves.
    for (const operator of ["RotaryEmbedding", "Softmax", "SimplifiedLayerNormalization", "Sigmoid"]) {
      expect(count(head.operators, operator), operator).toBe(count(forward.operators, operator));
    }
    const mlp = graphOf({ mlp: true });
    // Queries and keys of the upper layer turn back; those of the lowest have no adapter below them.
    expect(count(mlp.operators, "RotaryEmbedding")).toBe(2 * config.layerCount + 2 * (config.layerCount - 1));
    const all = graphOf({ attention: true, mlp: true });
    expect(count(all.operators, "RotaryEmbedding")).toBe(4 * config.layerCount);
  });

  it.each([
    ["small", { config, weights }, { frozen: 2, adapter: 5, lowest: 1, headParts: 1 }],
    ["large", largeModel(), { frozen: 2, adapter: 6, lowest: 2, headParts: 512 }],
  ] as const)(
    "multiplies by the matrices of the lowest queries, keys and values only forward, %s model",
    (_, model, perLinear) => {
      const isMatMul = (operator: string) => operator === "MatMul" || operator === "FusedMatMul";
      const matMuls = graphOf({ attention: true }, true, model).operators.filter(isMatMul).length;
      const attention = 2 + 4;
      const layer = 4 * (perLinear.frozen + perLinear.adapter) + attention + 3 * perLinear.frozen;
      const head = 2 * perLinear.headParts;
      // dx of the three projections that nothing lies below: dy W + (dy sB) A, or merged dy (W + sB A).
      expect(matMuls).toBe(config.layerCount * layer + head - 3 * perLinear.lowest);
    },
  );

  it("maps the parts of the unembedding from whole pages of the file, none of them larger than it may be", () => {
    const hiddenSize = 576;
    const vocabularySize = 49_152 + 3;
    const wide = { ...config, vocabularySize, hiddenSize, intermediateSize: 8, tiedEmbeddings: true };
    const bytesOfRow = hiddenSize * Float32Array.BYTES_PER_ELEMENT;
    const place = { folder: "/", file: "weights", offset: 65_536, byteLength: vocabularySize * bytesOfRow };
    const stored = (name: string) =>
      name === "model.embed_tokens.weight" ? { shape: [vocabularySize, hiddenSize], place } : undefined;
    const get = (name: string) => {
      const shape = weightShapes(wide).get(name) ?? [];
      return { shape, data: new Float32Array(shape.reduce((product, length) => product * length, 1)) };
    };
    const built = graphOf({ attention: true }, true, { config: wide, weights: { ...weights, get, stored } });
    const parts = (fromBinary(ModelProtoSchema, built.model).graph?.initializer ?? [])
      .filter(({ name }) => name.startsWith("lm_head.weight."))
      .map(({ externalData }) => {
        const field = (wanted: string) => Number(externalData.find(({ key }) => key === wanted)?.value);
        return { offset: field("offset"), byteLength: field("length") };
      });
    expect(parts.length).toBeGreaterThan(20);
    let end = place.offset;
    for (const { offset, byteLength } of parts) {
      expect(offset).toBe(end);
      expect(offset % 65_536).toBe(0);
      expect(byteLength).toBeLessThanOrEqual(2048 * bytesOfRow);
      end += byteLength;
    }
    expect(end).toBe(place.offset + place.byteLength);
  });

  it("asks only for what the loss and the adapter read", () => {
    const { inputs, outputs } = graphOf({ unembedding: true });
    expect(inputs.map(({ name }) => name).sort()).toEqual([
      "adapter.scale",
      "lm_head.lora_A",
      "lm_head.lora_B",
      "loss.weights",
      "targets",
      "tokens",
    ]);
    expect(outputs.map(({ name }) => name)).toEqual([
      "logprobs",
      "loss",
      "lm_head.lora_A.gradient",
      "lm_head.lora_B.gradient",
    ]);
  });
});
