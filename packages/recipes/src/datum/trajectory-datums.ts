import { checkArray, checkObject, checkString, describeValue, ValidationError } from "@tinkex/base";
import { datumFromTokens } from "@tinkex/renderers";
import type { Datum, ModelInput, ProvenanceSpan, TokenIds } from "@tinkex/types";
import { checkNumbers } from "../arguments/check-numbers.js";
import { beginsWith, chunksOf, type PromptUnit, promptUnits, unitsLength } from "./prompt-units.js";

/** One turn of a trajectory: what the model saw, and what it answered. */
export interface Transition {
  /** The whole prompt of this turn, the earlier turns included. */
  readonly prompt: ModelInput | TokenIds;
  /** Sampled ids, as they came: never made from text again. */
  readonly tokens: readonly number[];
  /** Log-probability of each sampled id. */
  readonly logprobs: readonly number[];
  /** The server's name for the sample, for provenance. */
  readonly sequenceId?: string | undefined;
  /** True for an answer that must not be trained on, e.g. one that could not be read. @defaultValue false */
  readonly isMasked?: boolean | undefined;
}

/** A training example of a policy loss. The mask is beside the datum, not in it: the service does not take it. */
export interface PolicyDatum {
  /** With `target_tokens` (int64), `logprobs` and `advantages` (float32), all `[N]`, and spans where every origin is known. */
  readonly datum: Datum;
  /** 1 on sampled tokens, 0 on what was shown, `[N]`. */
  readonly mask: Float32Array;
  /** Log-probabilities the tokens were sampled with, `[N]`; 0 on what was shown. */
  readonly logprobs: Float32Array;
  /** `[N]`; 0 on what was shown. */
  readonly advantages: Float32Array;
}

/** A document that grows while prompts extend it; all arrays have one entry for each of its tokens. */
interface Growing {
  readonly units: PromptUnit[];
  readonly logprobs: number[];
  readonly advantages: number[];
  readonly mask: number[];
  readonly spans: ProvenanceSpan[];
  hasOrigins: boolean;
}

/**
 * A trajectory as training examples. While the prompt of a turn begins with the document of the turns before it, only what is new is
 * appended; otherwise that turn begins another example. A trajectory of a renderer with the extension property is thus one.
 *
 * @param advantage - of every sampled token of the trajectory
 * @throws ValidationError when a turn has no log-probability for each sampled id
 */
export function trajectoryDatums(transitions: readonly Transition[], advantage: number): PolicyDatum[] {
  checkArray(transitions, "trajectoryDatums: transitions");
  if (!Number.isFinite(advantage)) {
    throw new ValidationError(
      `trajectoryDatums: advantage must be a finite number, got ${describeValue(advantage)}`,
    );
  }
  const documents: Growing[] = [];
  let current: Growing | undefined;
  for (const [turn, transition] of transitions.entries()) {
    checkTransition(transition, `trajectoryDatums: transitions[${turn}]`);
    const prompt = promptUnits(transition.prompt, `trajectoryDatums: transitions[${turn}].prompt`);
    if (current === undefined || !beginsWith(prompt, current.units)) {
      current = { units: [], logprobs: [], advantages: [], mask: [], spans: [], hasOrigins: true };
      documents.push(current);
    }
    grow(current, prompt, transition, advantage);
  }
  return documents.filter(({ mask }) => mask.includes(1)).map(finished);
}

function grow(
  document: Growing,
  prompt: readonly PromptUnit[],
  transition: Transition,
  advantage: number,
): void {
  const added = prompt.slice(document.units.length);
  const offset = document.mask.length;
  const { tokens, logprobs, sequenceId, isMasked = false } = transition;
  const shown = unitsLength(added);
  for (const unit of added) document.units.push(unit);
  for (const token of tokens) document.units.push(token);
  for (let place = 0; place < shown; place += 1) {
    document.logprobs.push(0);
    document.advantages.push(0);
    document.mask.push(0);
  }
  for (const logprob of logprobs) {
    document.logprobs.push(logprob);
    document.advantages.push(isMasked ? 0 : advantage);
    document.mask.push(isMasked ? 0 : 1);
  }
  if (sequenceId === undefined) {
    // Nothing that was sampled has an unknown origin, unless nothing was sampled.
    if (tokens.length > 0) document.hasOrigins = false;
    return;
  }
  if (shown > 0) {
    document.spans.push({ type: "prompt_tokens", sequence_id: sequenceId, offset, length: shown });
  }
  if (tokens.length > 0) {
    document.spans.push({
      type: "sampled_tokens",
      sequence_id: sequenceId,
      offset: 0,
      length: tokens.length,
    });
  }
}

function finished({ units, logprobs, advantages, mask, spans, hasOrigins }: Growing): PolicyDatum {
  const isCovered = hasOrigins && spans.reduce((sum, span) => sum + span.length, 0) === mask.length;
  const { loss_fn_inputs, ...rest } = datumFromTokens({ chunks: chunksOf(units) }, mask, {
    reduction: "none",
    untrained: "keep",
    ...(isCovered && { spans }),
  });
  const { target_tokens } = loss_fn_inputs;
  if (target_tokens === undefined) throw new ValidationError("trajectoryDatums: the datum has no targets");
  const shape = [mask.length - 1];
  const shifted = (values: readonly number[]) => Float32Array.from(values.slice(1));
  const [ownLogprobs, ownAdvantages] = [shifted(logprobs), shifted(advantages)];
  return {
    datum: {
      ...rest,
      loss_fn_inputs: {
        target_tokens,
        logprobs: { data: ownLogprobs, dtype: "float32", shape },
        advantages: { data: ownAdvantages, dtype: "float32", shape },
      },
    },
    mask: shifted(mask),
    logprobs: ownLogprobs,
    advantages: ownAdvantages,
  };
}

function checkTransition(transition: Transition, place: string): void {
  checkObject(transition, place, "{ prompt, tokens, logprobs }");
  const { tokens, logprobs, sequenceId } = transition;
  if (sequenceId !== undefined) checkString(sequenceId, `${place}.sequenceId`);
  checkNumbers(tokens, `${place}.tokens`);
  checkNumbers(logprobs, `${place}.logprobs`);
  if (logprobs.length === tokens.length) return;
  throw new ValidationError(
    `${place}: logprobs must have one number for each sampled token, got ${logprobs.length} for ${tokens.length}`,
  );
}
