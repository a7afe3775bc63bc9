import { AbortedError, isSparse, ResponseError, TinkexError, ValidationError } from "@tinkex/base";
import type { ForwardBackwardOutput } from "@tinkex/types";
import { type EncodedBody, encodeForwardBackwardRequest } from "@tinkex/wire";
import type { PassRequest, Submission } from "../../channel/channel.js";
import type { OperationContext } from "../../future/operation-context.js";
import type { Encoding } from "../../session/server-generation.js";
import { isOutOfOrder, settleResult } from "../settle-result.js";
import { isSequenceConflict, mayHaveArrived, settleSequence } from "../settle-sequence.js";
import type { SequenceId, TrainedModel } from "../trained-model.js";
import { combineOutputs, type PassOutput } from "./combine-outputs.js";
import type { TrainingPass } from "./prepare-data.js";
import { splitIntoChunks } from "./split-into-chunks.js";

/** Runs a pass: submits it in its turn, waits for the results outside of it, and combines them in the order of its data. */
export async function runPass(
  model: TrainedModel,
  pass: TrainingPass,
  context: OperationContext,
): Promise<PassOutput> {
  const results = await model.turns.runExclusive(context.signal, () => submitPass(model, pass, context));
  context.submitted();
  return passOutput(model, pass, await Promise.all(results));
}

/**
 * Joins the results of a pass's requests, and checks that each datum has its output, with one log-probability for each of its
 * targets. Whoever indexes them by position would train on others' otherwise.
 *
 * @throws ResponseError naming the datum, and for metrics that cannot be joined where the caller wants that
 */
export function passOutput(
  model: TrainedModel,
  pass: TrainingPass,
  results: readonly ForwardBackwardOutput[],
): PassOutput {
  const output = combineOutputs(results, (names) => tellDropped(model, pass, names));
  // The outputs of an uploaded loss are its own.
  if (pass.lossFn === "custom") return output;
  const { data } = pass;
  const { loss_fn_outputs: outputs } = output;
  if (outputs.length !== data.length) {
    throw new ResponseError(`the service gave ${outputs.length} outputs for ${data.length} datums`);
  }
  for (let index = 0; index < outputs.length; index += 1) {
    const logprobs = outputs[index]?.logprobs;
    const targets = data[index]?.loss_fn_inputs.target_tokens;
    if (logprobs === undefined || targets === undefined || isSparse(targets) || isSparse(logprobs)) continue;
    if (logprobs.data.length === targets.data.length) continue;
    throw new ResponseError(
      `the service gave ${logprobs.data.length} logprobs for the ${targets.data.length} target_tokens of data[${index}]`,
    );
  }
  return output;
}

/** Metrics that chunks cannot be joined in are told of, or refused where the caller wants that. */
function tellDropped(model: TrainedModel, { isStrict }: TrainingPass, names: readonly string[]): void {
  const message = `metrics of a call's requests that cannot be joined: ${names.join(", ")}`;
  if (isStrict) throw new ResponseError(message);
  model.channel.environment.logger.debug(message);
}

/** One request of a pass, and what became of it. */
interface PlannedRequest extends PassRequest {
  id: SequenceId;
  result?: Promise<ForwardBackwardOutput>;
  /** The failure that was the last. */
  error: unknown;
}

/**
 * Submits a pass within the turn that the caller holds, in as many requests as its data needs: one after the other; or the later
 * ones together and the first one last, as the server works in order and so starts when everything is there. Stops at the first
 * failure. An abort stops what has not begun to leave, unless a part was accepted: the rest is sent all the same then, since a
 * part alone would hold up the service.
 *
 * @returns the results to wait for, one a request, in the order of the data
 * @throws the error of a request that failed for good, once the ids of all are settled
 */
export async function submitPass(
  model: TrainedModel,
  pass: TrainingPass,
  context: OperationContext,
): Promise<readonly Promise<ForwardBackwardOutput>[]> {
  const requests = planPass(model, pass, context.name);
  let isPartAccepted = false;
  const waves = model.channel.server.sendsChunksTogether
    ? [requests.slice(1), requests.slice(0, 1)]
    : requests.map((request) => [request]);
  for (const wave of waves) {
    const stopSignal = isPartAccepted ? undefined : context.signal;
    const submissions: Promise<boolean>[] = [];
    for (const request of wave) submissions.push(submitRequest(model, request, context, stopSignal));
    const areAccepted = await Promise.all(submissions);
    isPartAccepted ||= areAccepted.includes(true);
    if (!areAccepted.includes(false)) continue;
    if (isPartAccepted && context.signal.aborted) {
      const stopped = wave.filter(wasStopped);
      await Promise.all(stopped.map((request) => submitRequest(model, request, context, undefined)));
      if (wave.every(({ result }) => result !== undefined)) continue;
    }
    const lost = requests.filter(({ result }) => result === undefined);
    throw settleSequence(model, pass.name, lost, isPartAccepted);
  }
  const [first] = requests;
  if (model.isOrderInDoubt && first?.result !== undefined && (await isOutOfOrder(model, first.result))) {
    return submitPass(model, pass, context);
  }
  context.seqId ??= first?.id.value ?? 0;
  const results: Promise<ForwardBackwardOutput>[] = [];
  for (const { result } of requests) if (result !== undefined) results.push(result);
  // No request is left to be written: of the tensors only their lengths are looked at from here on.
  if (pass.memory !== undefined) model.channel.tensorMemory.giveBack(pass.memory);
  return results;
}

/** Tells whether it is an abort alone that keeps a request from being sent again, none of whose tries may have been taken. */
function wasStopped({ result, hasLeft, error }: PlannedRequest): boolean {
  if (result !== undefined) return false;
  if (!hasLeft) return true;
  const isStop = error instanceof AbortedError || (error instanceof TinkexError && error.retryable);
  return isStop && !mayHaveArrived(error);
}

/** Submits one request, and notes in it what became of that. Tells whether the service has accepted it. Never rejects. */
async function submitRequest(
  model: TrainedModel,
  request: PlannedRequest,
  context: OperationContext,
  stopSignal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const delivery = { stopSignal };
    const { result } = request.id.wasRefused
      ? await submitAfterRefusal(model, request, context, stopSignal)
      : await model.channel.submitPass(request, context, model.log, delivery);
    request.result = settleResult(model, request.id, result);
    return true;
  } catch (error) {
    request.error = error;
    return false;
  }
}

/** Submits one request under an id that was refused. Where the service counts such an id as used, the id after it is tried. */
async function submitAfterRefusal(
  model: TrainedModel,
  request: PlannedRequest,
  context: OperationContext,
  stopSignal: AbortSignal | undefined,
): Promise<Submission<ForwardBackwardOutput>> {
  const { channel, sequence, log } = model;
  while (request.id.wasRefused) {
    try {
      return await channel.submitPass(request, context, log, { stopSignal, finalStatuses: [409] });
    } catch (error) {
      if (!isSequenceConflict(request.name, error)) throw error;
      request.id = sequence.take();
      request.hasLeft = false;
      request.written = request.writeIn(request.encoding);
    }
  }
  return channel.submitPass(request, context, log, { stopSignal });
}

/**
 * Plans a pass: cuts its data into chunks that the server accepts, gives each its sequence id, and writes all of them before the
 * first leaves, so that data that cannot be sent fails whole.
 */
function planPass(model: TrainedModel, pass: TrainingPass, method: string): PlannedRequest[] {
  const { channel, sequence } = model;
  const { encoding } = channel.encoding.first;
  const requests: PlannedRequest[] = [];
  const ids: SequenceId[] = [];
  try {
    for (const { data, size } of splitIntoChunks(pass.data, channel.server.chunkLimits[encoding])) {
      const id = sequence.take();
      ids.push(id);
      const part = { ...pass, data };
      const written = encodePass(model, part, id.value, encoding);
      const request: PlannedRequest = {
        name: pass.name,
        id,
        size,
        encoding,
        written,
        writeIn: (other) => encodePass(model, part, request.id.value, other),
        hasLeft: false,
        error: undefined,
      };
      requests.push(request);
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
