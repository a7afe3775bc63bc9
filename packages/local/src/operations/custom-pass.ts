import { type BoundDatum, bindData, type LossProgram, sumOfLosses } from "@tinkex/tensor/loss-graph";
import type { EngineDatum, PassResult } from "../engine/engine.js";
import { userFailure } from "../errors/operation-failure.js";
import type { ServerState } from "../registries/server-state.js";
import type { TrainingModel } from "../registries/training-model.js";
import { toEngineData } from "../requests/engine-datum.js";
import type { PassBody, ReceivedDatum } from "../requests/pass-body.js";
import { resolveLoss } from "../requests/resolve-loss.js";
import { nextTurn } from "../runtime/next-turn.js";

/** Results of a pass with an uploaded loss. */
export interface CustomPassResult {
  readonly data: readonly EngineDatum[];
  readonly result: PassResult;
  /** Metrics of the loss, by their names. */
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * Runs a pass with an uploaded loss: scores the targets, runs the graph on each datum, and has its gradient with respect to the
 * log-probabilities carried back by cross entropy, whose weights are that gradient with its sign turned.
 *
 * @throws OperationFailure `user`; ValidationError naming datum, key and node
 */
export async function runCustomPass(
  state: ServerState,
  model: TrainingModel,
  { data, loss_fn_config, forward_only: forwardOnly }: PassBody,
): Promise<CustomPassResult> {
  const { engine } = model.requireAdapter();
  const program = findProgram(state, model, loss_fn_config?.loss_id);
  if (data.length === 0) throw userFailure("data must hold at least one datum, got none");
  const plain = resolveLoss("cross_entropy", undefined);
  const targets = data.map(onlyTargets);
  const checked = toEngineData(targets, plain, engine.model);
  const bound = bindData(program, data, "forward_backward");
  requireComputable(bound);
  const pass = { adapterId: model.id, loss: plain.loss.name, lossConfig: plain.config };
  const { logprobs } = await engine.pass({ ...pass, data: checked, forwardOnly: true });
  let lossSum = 0;
  const sums: Record<string, number> = {};
  const weighted: EngineDatum[] = [];
  for (const [index, datum] of checked.entries()) {
    const each = sumOfLosses(program, bound.slice(index, index + 1), logprobs.slice(index, index + 1));
    lossSum += each.loss;
    for (const [name, value] of Object.entries(each.metrics ?? {})) sums[name] = (sums[name] ?? 0) + value;
    const weights = Float32Array.from(each.gradients[0] ?? [], (slope) => -slope);
    weighted.push({ ...datum, lossInputs: { weights } });
    // Graphs run in the thread that answers requests: others have their turn between datums.
    await nextTurn();
  }
  if (!forwardOnly) await engine.pass({ ...pass, data: weighted, forwardOnly: false });
  const metrics = Object.entries(sums).map(
    ([name, sum]) => [name, name.endsWith(":mean") ? sum / data.length : sum] as const,
  );
  return { data: checked, result: { logprobs, lossSum }, metrics: Object.fromEntries(metrics) };
}

/**
 * Most numbers that a loss may compute for one datum, in all its values: they are in memory together, with a slope of each, while nobody is
 * answered. Thirty-two matrices of 2048 tokens by 2048, which take 1.5 gigabytes.
 */
const MAX_NUMBERS = 2 ** 27;

/** @throws OperationFailure `user` */
function requireComputable(bound: readonly BoundDatum[]): void {
  for (const { types, place } of bound) {
    let count = 0;
    for (const { shape } of types) count += shape.reduce<number>((product, size = 1) => product * size, 1);
    if (count <= MAX_NUMBERS) continue;
    throw userFailure(
      `${place}: the loss must have at most ${MAX_NUMBERS} numbers in all its values, got ${count}; send shorter datums, or compute it ` +
        "in the client (forward_backward_custom)",
    );
  }
}

function findProgram(state: ServerState, model: TrainingModel, lossId: unknown): LossProgram {
  const loss = typeof lossId === "string" ? state.losses.get(lossId) : undefined;
  if (loss?.sessionId === model.sessionId) return loss.program;
  throw userFailure(
    `loss_fn_config.loss_id must be one that create_custom_loss gave in session ${model.sessionId}, got ${JSON.stringify(lossId)}`,
  );
}

/** The log-probabilities are all that the first pass is for. */
function onlyTargets({ model_input, loss_fn_inputs: { target_tokens } }: ReceivedDatum): ReceivedDatum {
  return { model_input, loss_fn_inputs: target_tokens === undefined ? {} : { target_tokens } };
}
