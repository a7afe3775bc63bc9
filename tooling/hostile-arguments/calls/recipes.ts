import type { ServiceClient } from "@tinkex/client";
import {
  bitsPerByte,
  chatsFromJsonl,
  discountedFutureSum,
  distill,
  dpo,
  dpoLoss,
  evaluate,
  fineTune,
  generate,
  groupAdvantages,
  isConstantGroup,
  klMetrics,
  klPenalty,
  learningRateFor,
  loraParameters,
  meanNll,
  passAtK,
  reverseKlAdvantages,
  rl,
  rolloutMetrics,
  schedule,
  sft,
  splitSizes,
  stepKlMetrics,
  supervisedDatum,
  TokenUsage,
  topKDatum,
  topKReverseKl,
  tournamentPairs,
  trajectoryDatums,
} from "@tinkex/recipes";
import { getRenderer } from "@tinkex/renderers";
import type { TextTokenizer } from "@tinkex/tokenizer";
import { whole } from "../hostile-values.js";
import { call, type PublicCalls } from "../public-call.js";
import { clock, logger } from "../surroundings.js";

const scored = () => [{ logprobs: [-1, -2], reference: [-1, -1], mask: [0, 1] }];
const weighed = () => [{ logprobs: [-1, -2], weights: [0, 1], targets: [1, 2] }];
const chat = () => ({
  messages: [
    { role: "user", content: "hello" },
    { role: "assistant", content: "hi", weight: 1 },
  ],
});
const transition = () => ({ prompt: [1, 2], tokens: [3], logprobs: [-1], sequenceId: "s", isMasked: false });
const group = () => ({
  tags: ["a"],
  trajectories: [{ reward: 1, turns: [{ observationTokens: 2, actionTokens: 1 }] }],
});

/** Functions of `@tinkex/recipes`, on a client and a file of chats that are there. */
export function recipesCalls(tokenizer: TextTokenizer, service: ServiceClient, file: string): PublicCalls {
  const renderer = whole(getRenderer("role_colon", tokenizer));
  return {
    bitsPerByte: call(bitsPerByte, () => [weighed(), tokenizer]),
    chatsFromJsonl: call(
      async (path: string) => {
        for await (const _ of chatsFromJsonl(path)) break;
      },
      () => [file],
    ),
    discountedFutureSum: call(discountedFutureSum, () => [[1, 2], 0.5]),
    distill: call(distill, () => [
      {
        service,
        model: "b",
        teacher: "c",
        problems: ["a"],
        prompt: () => "a",
        maxTokens: 1,
        learningRate: 1e-3,
        groupsPerBatch: 1,
        klCoefficient: 1,
        klDiscount: 0.5,
        maxStepsOffPolicy: 1,
        signal: AbortSignal.abort(),
      },
    ]),
    dpo: call(dpo, () => [
      {
        service,
        model: "b",
        pairs: [{ prompt: "a", chosen: "b", rejected: "c" }],
        beta: 0.1,
        batchSize: 1,
        clock,
        logger,
        signal: AbortSignal.abort(),
      },
    ]),
    dpoLoss: call(dpoLoss, () => [
      { chosen: [-1], rejected: [-2], chosenReference: [-1], rejectedReference: [-1] },
      0.1,
    ]),
    evaluate: call(evaluate, () => [
      {
        service,
        sampler: "b",
        problems: ["a"],
        prompt: () => [{ role: "user", content: "a" }],
        score: () => 1,
        maxTokens: 1,
        test: [{ prompt: "a", completion: "b" }],
        tools: {
          look: { description: "d", inputSchema: { type: "object" }, execute: () => "x", timeoutMs: 9 },
        },
        maxTurns: 2,
        maxToolCalls: 2,
        maxSampledTokens: 9,
        name: "test",
        samples: 2,
        passAt: [1],
        concurrency: 2,
        clock,
        logger,
        signal: AbortSignal.abort(),
      },
    ]),
    fineTune: call(fineTune, () => [
      {
        service,
        model: "b",
        train: file,
        test: [{ prompt: "a", completion: "b" }],
        learningRate: 1e-3,
        schedule: "linear",
        batchSize: 1,
        epochs: 1,
        signal: AbortSignal.abort(),
      },
    ]),
    generate: call(generate, () => [
      {
        service,
        sampler: "b",
        prompts: ["a", [{ role: "user", content: "b" }]],
        maxTokens: 1,
        temperature: 1,
        stop: ["x"],
        samples: 2,
        concurrency: 2,
        order: "call",
        retries: 1,
        maxFailures: 1,
        seed: 1,
        logger,
        signal: AbortSignal.abort(),
      },
    ]),
    groupAdvantages: call(groupAdvantages, () => [[1, 0]]),
    isConstantGroup: call(isConstantGroup, () => [[1, 0]]),
    klMetrics: call(klMetrics, () => [scored()]),
    klPenalty: call(klPenalty, () => [scored(), { coefficient: 1, discount: 0.5, onObservations: true }]),
    learningRateFor: call(learningRateFor, () => ["Qwen/Qwen3-8B", { isLora: true }]),
    loraParameters: call(loraParameters, () => ["Qwen/Qwen3-8B", { rank: 8, trainMlp: true }]),
    meanNll: call(meanNll, () => [weighed()]),
    passAtK: call(passAtK, () => [4, 2, 1]),
    reverseKlAdvantages: call(reverseKlAdvantages, () => [scored(), { coefficient: 1, discount: 0.5 }]),
    rl: call(rl, () => [
      {
        service,
        model: "b",
        problems: ["a"],
        prompt: () => "a",
        reward: () => 1,
        maxTokens: 1,
        learningRate: 1e-3,
        groupSize: 2,
        groupsPerBatch: 1,
        stop: ["x"],
        signal: AbortSignal.abort(),
      },
    ]),
    rolloutMetrics: call(rolloutMetrics, () => [[group()]]),
    schedule: call(schedule, () => ["linear", 1, 10]),
    sft: call(sft, () => [
      {
        service,
        model: "b",
        train: [{ prompt: "a", completion: "b" }],
        learningRate: 1e-3,
        schedule: "linear",
        batchSize: 1,
        epochs: 1,
        signal: AbortSignal.abort(),
      },
    ]),
    splitSizes: call(splitSizes, () => [10, 3]),
    stepKlMetrics: call(stepKlMetrics, () => [scored()]),
    supervisedDatum: call(supervisedDatum, () => [renderer, chat(), { maxLength: 100, reduction: "mean" }]),
    TokenUsage: call(
      (prices: Record<string, number>, before: Record<string, number>) => new TokenUsage(prices, before),
      () => [{ sampled: 1 }, { sampled: 2 }],
    ),
    "TokenUsage.add": call(
      (tokens: Record<string, number>) => new TokenUsage().add(tokens),
      () => [{ sampled: 1 }],
    ),
    topKDatum: call(topKDatum, () => [
      [1, 2],
      [[[1, -1]], [[2, -1]]],
      [0, 1],
    ]),
    topKReverseKl: call(topKReverseKl, () => [[[-1, -1]], [[0.5, 0.5]]]),
    tournamentPairs: call(tournamentPairs, () => [3, true]),
    trajectoryDatums: call(trajectoryDatums, () => [[transition()], 1]),
  };
}
