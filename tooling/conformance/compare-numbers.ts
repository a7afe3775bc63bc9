import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import {
  bitsPerByte,
  type ChatMessage,
  dpoLoss,
  groupAdvantages,
  isConstantGroup,
  klMetrics,
  klPenalty,
  meanNll,
  type PolicyDatum,
  passAtK,
  rolloutMetrics,
  type ScheduleName,
  schedule,
  splitSizes,
  supervisedDatum,
  topKReverseKl,
  tournamentPairs,
  trajectoryDatums,
} from "@tinkex/recipes";
import { getRenderer, type RendererName, type TrainOn } from "@tinkex/renderers";
import { createTokenizer } from "@tinkex/tokenizer";
import { isMeantToDiffer } from "./compare-renderer.js";

type Datum = PolicyDatum["datum"];

const LAYOUT = new URL("../../packages/renderers/fixtures/layout-tokenizer.json.gz", import.meta.url);

/** Distance of numbers that Python computes in 32 bits; of those beyond 1 as a share of them. */
const NEAR = 3e-5;

/** Tells what differs in two values, place by place; numbers may be as far apart as their 32 bits leave them. */
function difference(found: unknown, wanted: unknown, place = "it"): string[] {
  if (typeof wanted === "number" && typeof found === "number") {
    const isNear =
      Object.is(found, wanted) || Math.abs(found - wanted) <= NEAR * Math.max(1, Math.abs(wanted));
    return isNear ? [] : [`${place} is ${found}, not ${wanted}`];
  }
  if (typeof wanted !== "object" || wanted === null || typeof found !== "object" || found === null) {
    return found === wanted ? [] : [`${place} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`];
  }
  const [own, theirs] = [new Map(Object.entries(found)), new Map(Object.entries(wanted))];
  const names = new Set([...own.keys(), ...theirs.keys()]);
  return [...names].flatMap((name) => difference(own.get(name), theirs.get(name), `${place}.${name}`));
}

type Numbers = readonly number[];
type Compare<Case> = (one: Case) => readonly string[];

interface Groups {
  readonly given: readonly {
    readonly rewards: Numbers;
    readonly turns: readonly (readonly (readonly [seen: number, said: number])[])[];
    readonly tags: readonly string[];
  }[];
  readonly advantages: readonly Numbers[];
  readonly kept: Numbers;
  readonly metrics: Readonly<Record<string, number>>;
}

/** Metrics that the other side does not have. */
const OF_ONE_SIDE = /\/(?:reward\/std|total_cached_ob_tokens)$/;

const groups: Compare<Groups> = ({ given, advantages, kept, metrics }) => {
  const found = rolloutMetrics(
    given.map(({ rewards, turns, tags }) => ({
      tags,
      trajectories: rewards.map((reward, index) => ({
        reward,
        turns: (turns[index] ?? []).map(([seen, said]) => ({ observationTokens: seen, actionTokens: said })),
      })),
    })),
  );
  const shared = (all: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !OF_ONE_SIDE.test(name)));
  const mixed = given.flatMap(({ rewards }, index) => (isConstantGroup(rewards) ? [] : [index]));
  return [
    ...difference(shared(found), shared(metrics)),
    ...difference(
      given.map(({ rewards }) => groupAdvantages(rewards)),
      advantages,
    ),
    // The cookbook keeps the first group where all are constant.
    ...difference(mixed.length === 0 && given.length > 0 ? [0] : mixed, kept),
  ];
};

interface PythonDatum {
  readonly input: Numbers;
  readonly mask: Numbers;
  readonly inputSpans: readonly unknown[] | null;
  readonly targetSpans: readonly unknown[] | null;
}

interface TrajectoryCase {
  readonly given: readonly {
    readonly prompt: Numbers;
    readonly tokens: Numbers;
    readonly logprobs: Numbers;
    readonly sequenceId: string | null;
  }[];
  readonly advantage: number;
  readonly data: readonly PythonDatum[] | { readonly error: string };
}

const trajectory: Compare<TrajectoryCase> = ({ given, advantage, data }) => {
  if ("error" in data) return [];
  const turns = given.map(({ sequenceId, ...turn }) => ({ ...turn, sequenceId: sequenceId ?? undefined }));
  const found = trajectoryDatums(turns, advantage).map(({ datum, mask }) => ({
    ...plain(datum),
    mask: Array.from(mask),
    inputSpans: plainSpans(datum.model_input_spans),
    targetSpans: plainSpans(datum.loss_fn_input_spans),
  }));
  // A document in which nothing was sampled teaches nothing.
  return difference(
    found,
    data.filter(({ mask }) => mask.includes(1)),
  );
};

function plain({ model_input, loss_fn_inputs }: Datum): Readonly<Record<string, Numbers>> {
  const tensors = Object.entries(loss_fn_inputs).map(
    ([name, { data }]) => [name, Array.from(data, Number)] as const,
  );
  const input = model_input.chunks.flatMap((chunk) =>
    "tokens" in chunk ? Array.from(chunk.tokens, Number) : [],
  );
  return { input, ...Object.fromEntries(tensors) };
}

function plainSpans(spans: Datum["loss_fn_input_spans"]) {
  if (spans === undefined) return null;
  return spans.map(({ type, sequence_id, offset = 0, length }) => [
    type === "prompt_tokens" ? "P" : "S",
    sequence_id,
    offset,
    length,
  ]);
}

interface Kl {
  readonly given: readonly {
    readonly logprobs: Numbers;
    readonly mask: Numbers;
    readonly reference: Numbers;
  }[];
  readonly coefficient: number;
  readonly discount: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly mean: number;
  readonly advantages: readonly Numbers[];
}

const kl: Compare<Kl> = ({ given, coefficient, discount, metrics, mean, advantages }) => {
  const found = klPenalty(given, { coefficient, discount, onObservations: true });
  return [
    ...difference(klMetrics(given), metrics),
    ...difference(found, { advantages, meanDifference: mean }),
  ];
};

interface Dpo {
  readonly rows: readonly [Numbers, Numbers, Numbers, Numbers];
  readonly beta: number;
  readonly loss: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly gradients: readonly Numbers[];
}

const dpo: Compare<Dpo> = ({ rows, beta, loss, metrics, gradients }) => {
  const [chosen, rejected, chosenReference, rejectedReference] = rows;
  const found = dpoLoss({ chosen, rejected, chosenReference, rejectedReference }, beta);
  return difference(
    [found.loss, found.metrics, [found.chosenGradients, found.rejectedGradients]],
    [loss, metrics, gradients],
  );
};

interface TopK {
  readonly weights: readonly Numbers[];
  readonly logprobs: readonly Numbers[];
  readonly loss: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly gradients: readonly Numbers[];
}

const topK: Compare<TopK> = ({ weights, logprobs, ...wanted }) =>
  difference(topKReverseKl(logprobs, weights), wanted);

interface CountsCase extends Record<"n" | "c" | "k" | "pass" | "step" | "total" | "parts" | "size", number> {
  readonly factors: Readonly<Record<ScheduleName, number>>;
  readonly sizes: Numbers;
  readonly pairs: readonly (readonly Numbers[])[];
}

const counts: Compare<CountsCase> = ({ n, c, k, step, total, parts, size, ...wanted }) => {
  const factorAt = (name: ScheduleName) => schedule(name, step, total);
  const factors = { linear: factorAt("linear"), cosine: factorAt("cosine"), constant: factorAt("constant") };
  const pairs = [tournamentPairs(size, true), tournamentPairs(size, false)];
  return difference({ pass: passAtK(n, c, k), factors, sizes: splitSizes(total, parts), pairs }, wanted);
};

interface ChatCase {
  readonly messages: readonly ChatMessage[];
  readonly renderer: RendererName;
  readonly mode: TrainOn;
  readonly limit: number | null;
  readonly reduction: "mean" | "none";
  readonly datum: { readonly weights: Numbers; readonly target_tokens: Numbers } | { readonly error: string };
  readonly logprobs?: Numbers;
  readonly nll?: number | null;
  readonly bpb?: number | null;
}

const tokenizer = {
  ...createTokenizer({ tokenizer: JSON.parse(gunzipSync(readFileSync(LAYOUT)).toString()) }),
  namedTokens: { eos: "<|endoftext|>" },
};

const chat: Compare<ChatCase> = ({ messages, renderer, mode, limit, reduction, datum, ...measured }) => {
  if (isMeantToDiffer(renderer, messages)) return [];
  // Messages with a weight decide for themselves.
  const trainOn = mode === "customized" ? undefined : mode;
  const options = { trainOn, maxLength: limit ?? undefined, reduction };
  const found = attempt(() => supervisedDatum(getRenderer(renderer, tokenizer), { messages }, options));
  if ("error" in datum)
    return found === undefined || found instanceof Error ? [] : [`it is not refused: ${datum.error}`];
  const { weights, target_tokens: targets } = datum;
  const isTrained = weights.some((weight) => weight > 0);
  if (found === undefined || !isTrained)
    return found === undefined && !isTrained ? [] : ["it has no trained token, or should have one"];
  if (found instanceof Error) return [`it is refused: ${found.message}`];
  const logged = [{ logprobs: measured.logprobs ?? [], weights, targets }];
  const bpb = bitsPerByte(logged, tokenizer);
  return [
    ...difference(plain(found), datum),
    ...difference(
      { nll: meanNll(logged), bpb: Number.isNaN(bpb) ? null : bpb },
      { nll: measured.nll, bpb: measured.bpb },
    ),
  ];
};

function attempt<Value>(make: () => Value): Value | Error {
  try {
    return make();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

/** Comparisons by the kinds that cookbook_numbers.py writes, in its order. Each tells what differs in a case. */
export const COMPARISONS: Readonly<Record<string, (one: never) => readonly string[]>> = {
  groups,
  trajectory,
  kl,
  dpo,
  topK,
  counts,
  chat,
};
