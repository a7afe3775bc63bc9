import {
  type Datum,
  type ForwardBackwardOutput,
  type LossFnConfig,
  type LossFnType,
  ValidationError,
} from "@tinkex/types";
import { decodeJsonResponse, encodeForwardBackwardRequest } from "@tinkex/wire";
import { splitIntoChunks } from "../chunks/split-into-chunks.js";
import type { FutureWork } from "../future/future-work.js";
import { SequenceBrokenError } from "../queue/sequence-broken-error.js";
import type { SdkMethod } from "../session/sdk-method.js";
import type { Submission } from "../session/session.js";
import { sendChunks } from "./chunk-order.js";
import type { TrainedModel } from "./trained-model.js";

/** One forward, or forward and backward, pass over checked data. */
export interface TrainingPass {
  readonly method: SdkMethod;
  readonly data: readonly Datum[];
  readonly lossFn: LossFnType;
  readonly lossFnConfig: LossFnConfig | undefined;
  readonly forwardOnly: boolean;
  readonly startedAtMs: number;
}

/**
 * Sends a pass within the turn that the caller holds, in as many requests as its data needs. Each request's result is waited
 * for as soon as it was accepted.
 *
 * @throws the error of the first request that failed for good; when others were accepted, the queue is broken first
 */
export async function sendPass(
  model: TrainedModel,
  pass: TrainingPass,
  work: FutureWork,
): Promise<Submission<ForwardBackwardOutput>[]> {
  const { server, encoding, trainingBudget, core } = model.session;
  const limits = server.generation.chunkLimits(encoding.current, server.config);
  const chunks = splitIntoChunks(pass.data, limits);
  const firstId = model.sequence.take(chunks.length);
  const outcome = await sendChunks({
    count: chunks.length,
    together: server.generation.sendsChunksTogether(server.config),
    send: async (index) => {
      const { data, size } = chunks[index] ?? { data: [], size: 0 };
      const release = await trainingBudget.acquire(size, core.closing);
      try {
        return await sendChunk(model, { ...pass, data }, firstId + index, work);
      } finally {
        release();
      }
    },
  });
  if (outcome.failed.length === 0) {
    return chunks.map((_, index) => outcome.accepted.get(index)).filter((sent) => sent !== undefined);
  }
  if (outcome.accepted.size > 0) {
    const doubtful = [...outcome.failed, ...outcome.unsent].map((index) => firstId + index);
    model.turns.break(
      new SequenceBrokenError(
        model.id,
        doubtful.sort((a, b) => a - b),
        outcome.error,
      ),
    );
  } else if (outcome.error instanceof ValidationError) {
    // Refused before anything was sent: no id was used.
    model.sequence.rewindTo(firstId);
  } else if (outcome.failed.every((index) => index < Math.min(...outcome.unsent))) {
    // Sent one after the other, and the first one failed: the ids behind it were never used.
    model.sequence.rewindTo(firstId + outcome.failed.length);
  }
  throw outcome.error;
}

/** The results of a pass, in the order of its data. */
export function passResults(
  submissions: readonly Submission<ForwardBackwardOutput>[],
): Promise<ForwardBackwardOutput[]> {
  return Promise.all(submissions.map(({ result }) => result));
}

/** Sends one request of a pass. Its delivery is not interrupted: a request that is half sent leaves its id in doubt. */
function sendChunk(
  { id, session, log }: TrainedModel,
  pass: TrainingPass,
  seqId: number,
  work: FutureWork,
): Promise<Submission<ForwardBackwardOutput>> {
  const { data, lossFn, lossFnConfig, forwardOnly } = pass;
  const request = {
    forward_backward_input: {
      data,
      loss_fn: lossFn,
      ...(lossFnConfig === undefined ? {} : { loss_fn_config: lossFnConfig }),
    },
    model_id: id,
    seq_id: seqId,
    forward_only: forwardOnly,
  };
  return session.submit({
    method: pass.method,
    requestType: forwardOnly ? "Forward" : "ForwardBackward",
    resultName: "ForwardBackwardOutput",
    work,
    log,
    startedAtMs: pass.startedAtMs,
    send: async (headers) => {
      const response = await session.encoding.send(async (wire, returnStatuses) => {
        const encoded = encodeForwardBackwardRequest(request, {
          wire,
          generation: session.server.generation.fields,
        });
        const { body, encodingHeader } = await session.packed(encoded);
        return session.core.transport.call({
          operation: wire === "json" && forwardOnly ? "forward" : "forward_backward",
          body,
          contentType: encoded.contentType,
          returnStatuses,
          headers: { ...headers, ...encodingHeader },
        });
      });
      return decodeJsonResponse("UntypedAPIFuture", response.body);
    },
  });
}
