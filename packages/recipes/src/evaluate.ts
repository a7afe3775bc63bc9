import { shieldedLogger, silentLogger, systemClock } from "@tinkex/base";
import type { SamplingClient } from "@tinkex/client";
import { hashOf, readDataset } from "./data/dataset.js";
import { exampleDatums, NOT_MEASURED, type TrainingExample } from "./data/training-example.js";
import { scoreTargets } from "./datum/document-of.js";
import { type LoggedDatum, plainNumbers } from "./datum/plain-numbers.js";
import {
  checkEvaluateOptions,
  type EvaluateExamplesOptions,
  type EvaluateOptions,
  type EvaluateProblemsOptions,
  namedSamplers,
} from "./evaluate-options.js";
import { bitsPerByte, meanNll } from "./metrics/supervised-metrics.js";
import { AnswerFile } from "./rollout/answer-file.js";
import { singleTurn } from "./rollout/episode.js";
import { type EvaluatedAnswer, evaluatedAnswer, evaluationMetrics } from "./rollout/evaluated-answer.js";
import { mapBounded } from "./rollout/map-bounded.js";
import { rolloutConfig, rolloutRules } from "./rollout/rollout-options.js";
import { runGroup } from "./rollout/run-group.js";
import { seedOf } from "./rollout/seeds.js";
import { type SamplerChoice, withSamplers } from "./run/open-sampler.js";
import type { Metrics } from "./run/recipe-event.js";
import { RecipeRun } from "./run/recipe-run.js";
import { samplingTools, type TrainingTools } from "./run/training-tools.js";

/** A problem with the answers of one sampler. */
export interface EvaluatedProblem<Problem> {
  /** Name of the sampler; `""` where there is one alone. */
  readonly sampler: string;
  /** Place among the problems. */
  readonly index: number;
  readonly problem: Problem;
  /** None where they failed, under the policy `continue`. */
  readonly answers: readonly EvaluatedAnswer[];
}

/** The end of an evaluation. */
export interface EvaluationReport<Problem> {
  /** E.g. `test/env/all/reward/total`, `test/pass@1`, `test/nll`; of several samplers with the sampler's name before them. */
  readonly metrics: Metrics;
  /** Problems in their order, sampler by sampler. */
  readonly problems: readonly EvaluatedProblem<Problem>[];
}

/** News of an evaluation, as problems are answered. */
export type EvaluationEvent<Problem> =
  | { readonly type: "start"; readonly total: number }
  | ({ readonly type: "problem" } & EvaluatedProblem<Problem>)
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "done"; readonly metrics: Metrics };

/** A model that is measured. */
interface Measured {
  readonly name: string;
  readonly choice: SamplerChoice;
  readonly sampler: SamplingClient;
  readonly tools: TrainingTools;
}

type Tell<Problem> = (event: EvaluationEvent<Problem>) => void;

const CONCURRENCY = 64;

/**
 * Measures one model, or several side by side, on problems whose answers are scored, on the loss of examples, or on both. It has started
 * when it returns; await it for the report, iterate it for its events.
 *
 * @throws ValidationError at the call, for options that cannot be measured with; later ones reach whoever awaits or iterates
 *
 * @example
 * const { metrics } = await evaluate({
 *   service, samplers: { before: "Qwen/Qwen3-8B", after: checkpoint.samplerPath }, problems: words, maxTokens: 16,
 *   prompt: (word) => `Pig Latin: ${word} ->`, score: (word, reply) => (reply.text.trim() === pigLatin(word) ? 1 : 0),
 * });
 * console.log(metrics["before/test/env/all/reward/total"], metrics["after/test/env/all/reward/total"]);
 */
export function evaluate<Problem>(
  options: EvaluateProblemsOptions<Problem>,
): RecipeRun<EvaluationReport<Problem>, EvaluationEvent<Problem>>;
export function evaluate<Problem = never>(
  options: EvaluateExamplesOptions,
): RecipeRun<EvaluationReport<Problem>, EvaluationEvent<Problem>>;
export function evaluate<Problem>(
  options: EvaluateOptions<Problem>,
): RecipeRun<EvaluationReport<Problem>, EvaluationEvent<Problem>> {
  checkEvaluateOptions(options);
  const { service, signal } = options;
  const named = namedSamplers(options);
  return new RecipeRun({ method: "evaluate", signal }, (tell: Tell<Problem>) =>
    withSamplers(
      named.map(([, choice]) => choice),
      service,
      signal,
      async (samplers) => {
        const measured = await Promise.all(
          samplers.map(async (sampler, index) => {
            const [name, choice] = named[index] ?? ["", sampler];
            return { name, choice, sampler, tools: await samplingTools(sampler, options.renderer, signal) };
          }),
        );
        return runEvaluate(options, measured, tell);
      },
    ),
  );
}

async function runEvaluate<Problem>(
  options: EvaluateOptions<Problem>,
  measured: readonly Measured[],
  tell: Tell<Problem>,
): Promise<EvaluationReport<Problem>> {
  const { name: prefix = "test", passAt = [] } = options;
  const problems: readonly Problem[] =
    options.problems === undefined
      ? []
      : await readDataset(options.problems, "evaluate: problems", options.signal);
  const test = await readDataset(options.test ?? [], "evaluate: test", options.signal);
  tell({ type: "start", total: problems.length * measured.length });
  const logger = shieldedLogger(options.logger ?? silentLogger);
  const warn = (message: string): void => {
    logger.warn(message);
    tell({ type: "warning", message });
  };
  const answered = await answerProblems(options, problems, measured, { tell, warn });
  const metrics: Record<string, number> = {};
  for (const one of measured) {
    const own = answered.filter(({ sampler }) => sampler === one.name);
    const found = {
      ...(problems.length > 0 &&
        evaluationMetrics(
          own.map(({ answers }) => answers),
          passAt,
        )),
      ...(test.length > 0 && (await lossMetrics(options, test, one, warn))),
    };
    const start = one.name === "" ? prefix : `${one.name}/${prefix}`;
    for (const [name, value] of Object.entries(found)) metrics[`${start}/${name}`] = value;
  }
  tell({ type: "done", metrics });
  return { metrics, problems: answered };
}

/** Has each problem answered by each sampler, the samplers side by side. */
async function answerProblems<Problem>(
  options: EvaluateOptions<Problem>,
  problems: readonly Problem[],
  measured: readonly Measured[],
  { tell, warn }: { readonly tell: Tell<Problem>; readonly warn: (message: string) => void },
): Promise<readonly EvaluatedProblem<Problem>[]> {
  if (options.problems === undefined) return [];
  const { clock = systemClock, logger = silentLogger, seed = 0, samples = 1 } = options;
  const episode = options.episode ?? singleTurn(options.prompt, options.score);
  const config = { ...rolloutConfig(options, "evaluate"), seed, samples };
  const keyOf = (one: Measured, index: number, problem: Problem): string => {
    const model = typeof one.choice === "string" ? one.choice : null;
    return hashOf([one.name, model, index, problem, config], () => `evaluate: problems[${index}]`);
  };
  const file =
    options.file === undefined
      ? undefined
      : await AnswerFile.open<EvaluatedAnswer>(options.file, logger, "evaluate");
  const rolloutsOf = (tools: TrainingTools) =>
    rolloutRules<Problem>(options, "evaluate", tools, {
      groupSize: samples,
      episode,
      hasSharedPrompt: options.episode === undefined,
      groupReward: undefined,
      clock,
      warn,
    });
  const tasks = problems.flatMap((problem, index) => measured.map((one) => ({ one, problem, index })));
  const answersTo = async ({ one, problem, index }: (typeof tasks)[number], ended: AbortSignal) => {
    const place = `evaluate: problem ${index}${one.name === "" ? "" : ` of ${one.name}`}`;
    const rules = { ...rolloutsOf(one.tools), sampler: one.sampler, signal: ended };
    const members = await runGroup(problem, place, seedOf(seed, 0, index), rules);
    return members.map(evaluatedAnswer);
  };
  const { concurrency = CONCURRENCY, signal } = options;
  const answered = await mapBounded(tasks, { concurrency, signal }, async (task, _, ended) => {
    const { one, problem, index } = task;
    // Without a file a problem may be anything.
    const key = file === undefined ? "" : keyOf(one, index, problem);
    const where = one.name === "" ? String(index) : `${one.name}/${index}`;
    const before = file?.find(where, key);
    const answers = before ?? (await answersTo(task, ended));
    // A problem whose answers failed is asked again by the next call.
    if (before === undefined && answers.length > 0) await file?.write(where, key, { problem }, answers);
    const result = { sampler: one.name, index, problem, answers };
    tell({ type: "problem", ...result });
    return result;
  }).finally(() => file?.close());
  return measured.flatMap(({ name }) => answered.filter(({ sampler }) => sampler === name));
}

/** Loss of a sampler on examples. */
async function lossMetrics(
  options: Pick<EvaluateOptions<never>, "trainOn" | "reduction" | "concurrency" | "signal">,
  test: readonly TrainingExample[],
  { name, sampler, tools }: Measured,
  warn: (message: string) => void,
): Promise<Metrics> {
  const { trainOn, reduction, concurrency = CONCURRENCY, signal } = options;
  const example = { loaded: tools, options: { trainOn, reduction } };
  const data = exampleDatums(test, example, (index) => `evaluate: test[${index}]`);
  const unmeasured = test.length - data.length;
  const counted = `${unmeasured} of ${test.length} examples of test${name === "" ? "" : ` for ${name}`}`;
  if (unmeasured > 0) warn(`${counted} ${NOT_MEASURED}`);
  if (data.length === 0) return {};
  const logged = await mapBounded(
    data,
    { concurrency, signal },
    async (datum, _, ended): Promise<LoggedDatum> => {
      const scores = await scoreTargets(datum, (document) =>
        sampler.computeLogprobs(document, { signal: ended }),
      );
      return plainNumbers(datum, { data: scores, dtype: "float32" });
    },
  );
  return { nll: meanNll(logged), bpb: bitsPerByte(logged, tools.tokenizer) };
}
