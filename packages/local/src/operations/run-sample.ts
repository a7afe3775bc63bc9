import { randomUUID } from "node:crypto";
import type { TensorData } from "@tinkex/types";
import type { SampleOutcome } from "../engine/engine.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import { fingerprint } from "../order/fingerprint.js";
import type { Sampler } from "../registries/sampler-registry.js";
import type { OperationResult, ServerState } from "../registries/server-state.js";
import type { SampleBody } from "../requests/sample-body.js";
import { sampleResponse } from "../requests/sample-response.js";
import { MAX_SAMPLES, toSampleTask } from "../requests/sample-task.js";
import { openSampler } from "./create-sampler.js";

export interface SubmittedSample {
  readonly request_id: string;
  /** A name for each sequence of the result, in order. SDK 0.26 and later cannot do without. */
  readonly sample_sequence_ids: readonly string[];
}

/**
 * `asample`. A sampler's requests run side by side; one that comes again under the same number is recognised.
 *
 * @throws RequestRefusal 400, 404, 409
 */
export async function runSample(state: ServerState, body: SampleBody): Promise<SubmittedSample> {
  const { seq_id: number, sampling_session_id: samplerId } = body;
  const sampler =
    samplerId === undefined ? await directSampler(state, body) : await openedSampler(state, samplerId);
  const identity =
    number === undefined || samplerId === undefined
      ? undefined
      : { key: `${samplerId}, seq_id ${number}`, fingerprint: fingerprint(body) };
  const feed = identity && state.completions.of(sampler.id, cloneOf(Number(number ?? 0)));
  const requestId = state.futures.submit(
    identity,
    (cancelled) => {
      const work = { sessionId: sampler.sessionId, name: "asample" };
      const run = state.sessions.timeline.follow(work, state.clock, () =>
        draw(state, { sampler, body, isDirect: samplerId === undefined, cancelled }),
      );
      return run().then((outcome) => sampleResult(outcome, body.target_prompt_logprobs));
    },
    {
      owner: sampler.sessionId,
      ...(feed && {
        onSettled: (id, end) => feed.add({ request_id: id, state: end }),
        onGone: (id) => feed.forget(id),
      }),
    },
  );
  state.silence.start();
  const prefix = identity === undefined ? requestId : `${samplerId}:${number}`;
  // More samples than that fail anyway, and need no names.
  const count =
    Number.isInteger(body.num_samples) && body.num_samples <= MAX_SAMPLES ? Math.max(0, body.num_samples) : 0;
  return {
    request_id: requestId,
    sample_sequence_ids: Array.from({ length: count }, (_, index) => `${prefix}:${index}`),
  };
}

/**
 * Puts a result together that is written down anew for each answer: it is kept for minutes, and as a record it takes ten times the memory of
 * the outcome's arrays. Of the request it keeps nothing but the layout of the tensor of tokens to score.
 */
function sampleResult(outcome: SampleOutcome, targets: TensorData | undefined): OperationResult {
  const layout = targets && { ...targets, data: [] };
  return {
    name: "SampleResponse",
    get result() {
      return sampleResponse(outcome, layout);
    },
  };
}

/** Requests of clones of one sampler are numbered from multiples of this. */
const NUMBERS_OF_A_CLONE = 1_000_000_000;

function cloneOf(sequenceNumber: number): number {
  return Math.floor(sequenceNumber / NUMBERS_OF_A_CLONE);
}

interface Draw {
  readonly sampler: Sampler;
  readonly body: SampleBody;
  /** The sampler was made for this request alone, and is released afterwards. */
  readonly isDirect: boolean;
  readonly cancelled: AbortSignal;
}

async function draw(
  state: ServerState,
  { sampler, body, isDirect, cancelled }: Draw,
): Promise<SampleOutcome> {
  const { engine, adapterId, sessionId } = sampler;
  try {
    const { randomSeed } = state;
    const task = toSampleTask(body, { model: engine.model, adapterId, sessionId, randomSeed });
    return await (adapterId === undefined
      ? engine.sample(task, cancelled)
      : state.adapterCache.use(adapterId, () => engine.sample(task, cancelled)));
  } catch (error) {
    cancelled.throwIfAborted();
    throw error;
  } finally {
    if (isDirect && adapterId !== undefined) await engine.releaseAdapter(adapterId);
  }
}

async function openedSampler(state: ServerState, samplerId: string): Promise<Sampler> {
  const sampler = await state.samplers.find(samplerId);
  state.sessions.findOpen(sampler.sessionId);
  return sampler;
}

/** A sampler for one request that names a model or a checkpoint instead of a sampling session. */
async function directSampler(state: ServerState, { base_model, model_path }: SampleBody): Promise<Sampler> {
  if (base_model === undefined && model_path === undefined) {
    throw new RequestRefusal(
      400,
      "sampling_session_id, base_model and model_path are missing; give one of them, to sample from",
    );
  }
  return openSampler(state, { base_model, model_path }, `direct:${randomUUID()}`, NO_SESSION);
}

const NO_SESSION = "";
