import type { SampleTask } from "../packages/local/src/engine/engine.js";

/** Makes a task of one greedy sample. No id ends it, so that every engine draws as many tokens. */
export function greedySample(prompt: readonly number[], maxTokens: number): SampleTask {
  return {
    prompt: Int32Array.from(prompt),
    sampleCount: 1,
    maxTokens,
    seed: 1,
    temperature: 0,
    topK: -1,
    topP: 1,
    stopTokenIds: [-1],
    stopTexts: [],
    wantsPromptLogprobs: false,
    topkPromptLogprobs: 0,
  };
}
