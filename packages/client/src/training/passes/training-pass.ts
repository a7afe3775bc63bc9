import { ApiStatusError, ValidationError } from "@tinkex/base";
import type { ForwardBackwardOutput } from "@tinkex/types";
import { type EncodedBody, encodeForwardBackwardRequest } from "@tinkex/wire";
import type { PassRequest } from "../../channel/channel.js";
import type { OperationContext } from "../../future/operation-context.js";
import type { Encoding } from "../../session/server-generation.js";
import type { TrainedModel } from "../trained-model.js";
import { combineOutputs, type PassOutput } from "./combine-outputs.js";
import type { TrainingPass } from "./prepare-data.js";
import { SequenceBrokenError } from "./sequence-broken-error.js";
import { splitIntoChunks } from "./split-into-chunks.js";

/** Runs a pass: submits it in its turn, waits for the results outside of it, and combines them in the order of its data. */
export async function runPass(
  model: TrainedModel,
  pass: TrainingPass,
  context: OperationContext,
): Promise<PassOutput> {
  const results = await model.turns.runExclusive(context.signal, () => submitPass(model, pass, context));
  context.submitted();
  return combineOutputs(await Promise.all(results));
}

/** One request of a pass, and what became of it. */
interface PlannedRequest extends PassRequest {
  result?: Promise<ForwardBackwardOutput>;
}

/** A request that failed for good. */
interface Failure {
  readonly request: PlannedRequest;
  readonly error: unknown;
}

/**
 * Submits a pass within the turn that the caller holds, in as many requests as its data needs: one after the other; or the later
 * ones together and the first one last, as the server works in order and so starts when everything is there. Stops at the first
 * failure.
 *
 * @returns the results to wait for, one a request, in the order of the data
 * @throws the error of the first request that failed for good; when others were accepted, or an id before one that may have
 * arrived was never used, the queue is broken first
 */
export async function submitPass(
  model: TrainedModel,
  pass: TrainingPass,
  context: OperationContext,
): Promise<readonly Promise<ForwardBackwardOutput>[]> {
  const { channel, log } = model;
  const requests = planPass(model, pass, context.name);
  const failures: Failure[] = [];
  const submit = async (request: PlannedRequest): Promise<void> => {
    try {
      request.result = (await channel.submitPass(request, context, log)).result;
    } catch (error) {
      failures.push({ request, error });
    }
  };
  const waves = channel.server.sendsChunksTogether
    ? [requests.slice(1), requests.slice(0, 1)]
    : requests.map((request) => [request]);
  for (const wave of waves) {
    await Promise.all(wave.map(submit));
    const [first] = failures;
    if (first === undefined) continue;
    settleIds(model, requests, failures);
    throw first.error;
  }
  return requests.flatMap(({ result }) => result ?? []);
}

/**
 * Plans a pass: cuts its data into chunks that the server accepts, gives each its sequence id, and writes all of them before the
 * first leaves, so that data that cannot be sent fails whole.
 */
function planPass(model: TrainedModel, pass: TrainingPass, method: string): PlannedRequest[] {
  const { channel, sequence } = model;
  const encoding = channel.encoding.current;
  const requests: PlannedRequest[] = [];
  const ids: number[] = [];
  try {
    for (const { data, size } of splitIntoChunks(pass.data, channel.server.chunkLimits[encoding])) {
      const seqId = sequence.take();
      ids.push(seqId);
      const part = { ...pass, data };
      const written = encodePass(model, part, seqId, encoding);
      const writeIn = (other: Encoding): EncodedBody => encodePass(model, part, seqId, other);
      requests.push({ name: pass.name, seqId, size, encoding, written, writeIn, hasLeft: false });
    }
    return requests;
  } catch (error) {
    sequence.giveBack(ids);
    // The same fault once more, in the whole of the data: its message then names the datum by its place in the call.
    try {
      encodePass(model, pass, 0, encoding);
    } catch (whole) {
      throw inWordsOf(method, whole);
    }
    throw error;
  }
}

/** Names the caller's method in a message that begins with the request's name. */
function inWordsOf(method: string, error: unknown): unknown {
  const prefix = "forward_backward: ";
  if (!(error instanceof ValidationError) || !error.message.startsWith(prefix)) return error;
  const { message, path } = error;
  return new ValidationError(`${method}: ${message.slice(prefix.length)}`, { path, cause: error });
}

/** Writes one request of a pass. @throws ValidationError that names the datum, UnsupportedByServerError */
function encodePass(
  model: TrainedModel,
  { name, data, lossFn, lossFnConfig }: TrainingPass,
  seqId: number,
  encoding: Encoding,
): EncodedBody {
  const { channel, id } = model;
  const config = lossFnConfig === undefined ? {} : { loss_fn_config: lossFnConfig };
  return encodeForwardBackwardRequest(
    {
      forward_backward_input: { data, loss_fn: lossFn, ...config },
      model_id: id,
      seq_id: seqId,
      forward_only: name === "forward",
    },
    {
      wire: encoding,
      generation: channel.server.generation.fields,
      memory: channel.bodyMemory,
      // The tensors' layout was checked when they were cast, with the place of each in the call.
      isChecked: true,
    },
  );
}

/**
 * Settles the sequence ids after a failure: gives back those that never left, unless the service may hold something that waits
 * for them, or has accepted a part of the call; the order is broken then.
 */
function settleIds(
  model: TrainedModel,
  requests: readonly PlannedRequest[],
  failures: readonly Failure[],
): void {
  const lost = requests.filter(({ result }) => result === undefined);
  const unused = lost.filter(({ hasLeft }) => !hasLeft).map(({ seqId }) => seqId);
  const firstUnused = Math.min(...unused);
  const mayWait = failures.some(
    ({ request, error }) => request.seqId > firstUnused && request.hasLeft && !isRefusal(error),
  );
  if (lost.length === requests.length && !mayWait) {
    model.sequence.giveBack(unused);
    return;
  }
  const lostIds = lost.map(({ seqId }) => seqId);
  model.turns.break(new SequenceBrokenError(model.id, lostIds, failures[0]?.error));
}

/** Tells whether the service certainly did not take a request. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ApiStatusError &&
    error.status >= 400 &&
    error.status < 500 &&
    !error.earlierTries.some(({ mayHaveArrived }) => mayHaveArrived)
  );
}
