import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { tensor } from "../runtime/tensor.js";
import { SafetensorsFile } from "../safetensors/safetensors-file.js";
import { largestDifference } from "../training/testing/differences.js";
import { goldenPath, openGoldenModel, readGolden } from "../training/testing/golden-files.js";
import { attendAtOnce } from "./attention.js";
import { causalMask } from "./causal-mask.js";
import { decoder } from "./decoder.js";
import { loraLinear } from "./lora-linear.js";
import { modelValues } from "./model-values.js";
import { targetLogprobs } from "./target-logprobs.js";

interface GoldenForward {
  readonly sequences: readonly {
    readonly name: string;
    readonly tokens: readonly number[];
    readonly target_tokens: readonly number[];
    readonly target_logprobs: readonly number[];
    readonly argmax: readonly number[];
  }[];
}

describe.each(["native", "wasm"] as const)("the base model on the %s runtime", (runtimeName) => {
  it.each(["tiny-llama", "tiny-llama3", "tiny-qwen2", "tiny-qwen3"])(
    "%s: logits, log-probabilities, hidden states",
    async (name) => {
      const { config, weights } = openGoldenModel(name);
      const graph = new GraphBuilder();
      const model = modelValues(graph, config, weights, new Set());
      const tokens = graph.input("tokens", "int32", ["rows", "time"]);
      const mask = causalMask(graph, tokens, config.headCount / config.keyValueHeadCount);
      const decoded = decoder(graph, model, tokens, { attend: attendAtOnce(mask), sparesMemory: false });
      const { output: logits } = loraLinear(graph, decoded.output, model.linear("lm_head"));
      const targets = graph.input("targets", "int32", ["rows", "time", 1]);
      const layers = Object.fromEntries(
        decoded.layers.map(({ mlp }, index) => [`layer${index}`, mlp.output]),
      );
      const outputs = {
        ...layers,
        logits,
        logprobs: targetLogprobs(graph, logits, targets).output,
      };
      const session = await (await createRuntime({ runtime: runtimeName, threads: 2 })).compile(
        graph.build(outputs),
      );
      const recorded = SafetensorsFile.open(goldenPath(`forward/${name}.safetensors`));
      for (const sequence of readGolden<GoldenForward>(`forward/${name}.json`).sequences) {
        const length = sequence.tokens.length;
        const found = await session.run({
          tokens: tensor("int32", [1, length], Int32Array.from(sequence.tokens)),
          targets: tensor("int32", [1, length, 1], Int32Array.from(sequence.target_tokens)),
        });
        const foundLogits = found.float32("logits");
        expect(largestDifference(foundLogits, recorded.read(`${sequence.name}.logits`).data)).toBeLessThan(
          1e-4,
        );
        expect(largestDifference(found.float32("logprobs"), sequence.target_logprobs)).toBeLessThan(5e-5);
        expect(argmaxOfRows(foundLogits, config.vocabularySize)).toEqual(sequence.argmax);
        if (sequence.name !== "seq2") continue;
        for (const layer of Object.keys(layers)) {
          const hidden = recorded.read(`seq2.hidden.${layer}`).data;
          expect(largestDifference(found.float32(layer), hidden), layer).toBeLessThan(1e-4);
        }
      }
      recorded.close();
      weights.close();
      await session.release();
    },
  );
});

function argmaxOfRows(values: Float32Array, width: number): number[] {
  return Array.from({ length: values.length / width }, (_, row) => {
    const own = values.subarray(row * width, (row + 1) * width);
    return own.indexOf(Math.max(...own));
  });
}
