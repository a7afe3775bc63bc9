import { ApiStatusError } from "@tinkex/base";
import type {
  Datum,
  ForwardBackwardOutput,
  ForwardBackwardRequest,
  LossFnConfig,
  LossFnType,
} from "@tinkex/types";
import { decodeJsonResponse, type EncodedBody, encodeForwardBackwardRequest } from "@tinkex/wire";
import type { Encoding } from "../../channel/encoding-fallback.js";
import type { FutureWork } from "../../future/operation-context.js";
import type { SdkMethod } from "../../session/sdk-method.js";
import type { Submission } from "../../session/session.js";
import type { TrainedModel } from "../trained-model.js";
import { type ChunkOutcome, sendChunks } from "./chunk-order.js";
import { SequenceBrokenError } from "./sequence-broken-error.js";
import { splitIntoChunks } from "./split-into-chunks.js";

/** One forward, or forward and backward, pass over checked data. */
export interface TrainingPass {
  readonly method: SdkMethod;
  readonly data: readonly Datum[];
  readonly lossFn: LossFnType;
  readonly lossFnConfig: LossFnConfig | undefined;
  readonly forwardOnly: boolean;
  readonly startedAtMs: number;
}

/** One request of a pass. */
interface PassRequest {
  readonly id: number;
  /** What it weighs on the budget. */
  readonly size: number;
  encode(wire: Encoding): EncodedBody;
  /** Gives back the memory of its body, once the service has accepted it: no try of it is left that might read it. */
  delivered(): void;
}

/**
 * Sends a pass within the turn that the caller holds, in as many requests as its data needs. All are written before the first
 * leaves, so that data that cannot be sent fails whole. Each request's result is waited for as soon as it was accepted.
 *
 * @throws the error of the first request that failed for good; when others were accepted, or an id before one that may have
 * arrived was never used, the queue is broken first
 */
export async function sendPass(
  model: TrainedModel,
  pass: TrainingPass,
  work: FutureWork,
): Promise<Submission<ForwardBackwardOutput>[]> {
  const { server, trainingBudget, core } = model.session;
  const requests = writeRequests(model, pass);
  const left = new Set<number>();
  const outcome = await sendChunks({
    count: requests.length,
    together: server.generation.sendsChunksTogether(server.config),
    send: async (index) => {
      const request = requests[index];
      if (request === undefined) throw new Error(`a pass has no request ${index}`);
      const release = await trainingBudget.acquire(request.size, core.closing);
      try {
        return await sendRequest(model, pass, request, work, () => left.add(index));
      } finally {
        release();
      }
    },
  });
  if (outcome.failed.size > 0) {
    settleIds(model, requests, outcome, left);
    throw outcome.error;
  }
  return requests.map((_, index) => outcome.accepted.get(index)).filter((sent) => sent !== undefined);
}

/** Cuts the data of a pass into requests, gives them their ids, and writes them in the encoding that is now in use. */
function writeRequests(model: TrainedModel, pass: TrainingPass): PassRequest[] {
  const { id: modelId, sequence, session } = model;
  const { server, encoding, core } = session;
  const memory = core.settings.bodyMemory;
  const wireNow = encoding.current;
  const encode = (data: readonly Datum[], id: number, wire: Encoding): EncodedBody =>
    encodeForwardBackwardRequest(passRecord(modelId, pass, data, id), {
      wire,
      generation: server.generation.fields,
      memory,
    });
  const chunks = splitIntoChunks(pass.data, server.generation.chunkLimits(wireNow, server.config));
  const ids = chunks.map(() => sequence.take());
  try {
    return chunks.map(({ data, size }, index) => {
      const id = ids[index] ?? 0;
      const written = encode(data, id, wireNow);
      return {
        id,
        size,
        encode: (wire) => (wire === wireNow ? written : encode(data, id, wire)),
        delivered: () => memory?.giveBack(written.body),
      };
    });
  } catch (error) {
    sequence.giveBack(ids);
    // The same fault once more, in the whole of the data: its message then names the datum by its place in the call.
    encode(pass.data, ids[0] ?? 0, wireNow);
    throw error;
  }
}

/**
 * After a failure: gives back the ids that never left, unless the service may hold something that waits for them, or has
 * accepted a part of the call; the order is broken then.
 */
function settleIds(
  model: TrainedModel,
  requests: readonly PassRequest[],
  { accepted, failed, unsent, error }: ChunkOutcome<unknown>,
  left: ReadonlySet<number>,
): void {
  const lost = [...failed.keys(), ...unsent].sort((a, b) => a - b);
  const idsOf = (indices: readonly number[]): number[] => indices.map((index) => requests[index]?.id ?? 0);
  const unused = lost.filter((index) => !left.has(index));
  const firstUnused = unused[0] ?? Number.POSITIVE_INFINITY;
  const mayWait = [...failed].some(
    ([index, cause]) => index > firstUnused && left.has(index) && !isRefusal(cause),
  );
  if (accepted.size > 0 || mayWait) {
    model.turns.break(new SequenceBrokenError(model.id, idsOf(lost), error));
  } else {
    model.sequence.giveBack(idsOf(unused));
  }
}

/** Whether the service certainly did not take a request. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ApiStatusError &&
    error.status >= 400 &&
    error.status < 500 &&
    !error.earlierTries.some(({ mayHaveArrived }) => mayHaveArrived)
  );
}

/** The results of a pass, in the order of its data. */
export function passResults(
  submissions: readonly Submission<ForwardBackwardOutput>[],
): Promise<ForwardBackwardOutput[]> {
  return Promise.all(submissions.map(({ result }) => result));
}

function passRecord(
  modelId: string,
  { lossFn, lossFnConfig, forwardOnly }: TrainingPass,
  data: readonly Datum[],
  seqId: number,
): ForwardBackwardRequest {
  return {
    forward_backward_input: {
      data: [...data],
      loss_fn: lossFn,
      ...(lossFnConfig === undefined ? {} : { loss_fn_config: lossFnConfig }),
    },
    model_id: modelId,
    seq_id: seqId,
    forward_only: forwardOnly,
  };
}

/** Sends one request of a pass. Its delivery is not interrupted: a request that is half sent leaves its id in doubt. */
function sendRequest(
  { session, log }: TrainedModel,
  { method, forwardOnly, startedAtMs }: TrainingPass,
  request: PassRequest,
  work: FutureWork,
  onLeaving: () => void,
): Promise<Submission<ForwardBackwardOutput>> {
  return session.submit({
    method,
    requestType: forwardOnly ? "Forward" : "ForwardBackward",
    resultName: "ForwardBackwardOutput",
    work,
    log,
    startedAtMs,
    send: async (headers) => {
      const response = await session.encoding.send(async (wire, returnStatuses) => {
        const encoded = request.encode(wire);
        const { body, encodingHeader } = await session.packed(encoded);
        work.sending();
        onLeaving();
        return session.core.transport.call({
          operation: wire === "json" && forwardOnly ? "forward" : "forward_backward",
          body,
          contentType: encoded.contentType,
          returnStatuses,
          headers: { ...headers, ...encodingHeader },
        });
      });
      const accepted = decodeJsonResponse("UntypedAPIFuture", response.body);
      request.delivered();
      return accepted;
    },
  });
}
