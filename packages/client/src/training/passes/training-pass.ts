import { ApiStatusError } from "@tinkex/base";
import type { Datum, ForwardBackwardOutput, LossFnConfig, LossFnType } from "@tinkex/types";
import { type BodyMemory, type EncodedBody, encodeForwardBackwardRequest } from "@tinkex/wire";
import type { PassBody, Submission } from "../../channel/channel.js";
import type { OperationContext } from "../../future/operation-context.js";
import type { Encoding } from "../../session/server-generation.js";
import type { TrainedModel } from "../trained-model.js";
import { combineOutputs, type PassOutput } from "./combine-outputs.js";
import { SequenceBrokenError } from "./sequence-broken-error.js";
import { splitIntoChunks } from "./split-into-chunks.js";

/** One forward, or forward and backward, pass over checked data. */
export interface TrainingPass {
  readonly name: "forward" | "forward_backward";
  readonly data: readonly Datum[];
  readonly lossFn: LossFnType;
  readonly lossFnConfig: LossFnConfig | undefined;
}

/** Runs a pass: submits it in its turn, waits for the results outside of it, and combines them. */
export async function runPass(
  model: TrainedModel,
  pass: TrainingPass,
  context: OperationContext,
): Promise<PassOutput> {
  const submissions = await model.turns.runExclusive(context.signal, () => submitPass(model, pass, context));
  context.submitted();
  return passResult(submissions);
}

/** Waits for the results of a pass, and combines them in the order of its data. */
export async function passResult(
  submissions: readonly Submission<ForwardBackwardOutput>[],
): Promise<PassOutput> {
  return combineOutputs(await Promise.all(submissions.map(({ result }) => result)));
}

/**
 * Submits a pass within the turn that the caller holds, in as many requests as its data needs: one after the other; or the later
 * ones together and the first one last, as the server works in order and so starts when everything is there. Stops at the first
 * failure.
 *
 * @throws the error of the first request that failed for good; when others were accepted, or an id before one that may have
 * arrived was never used, the queue is broken first
 */
export async function submitPass(
  model: TrainedModel,
  pass: TrainingPass,
  context: OperationContext,
): Promise<Submission<ForwardBackwardOutput>[]> {
  const requests = planPass(model, pass);
  const { generation, config } = model.channel.session.server;
  const waves = generation.sendsChunksTogether(config)
    ? [requests.slice(1), requests.slice(0, 1)]
    : requests.map((request) => [request]);
  const accepted = new Map<PassRequest, Submission<ForwardBackwardOutput>>();
  const failed = new Map<PassRequest, unknown>();
  const submit = async (request: PassRequest): Promise<void> => {
    try {
      accepted.set(request, await model.channel.submitPass(request, context, model.log));
    } catch (error) {
      failed.set(request, error);
    }
  };
  for (const wave of waves) {
    await Promise.all(wave.map(submit));
    const [error] = failed.values();
    if (failed.size === 0) continue;
    const lost = requests.filter((request) => !accepted.has(request));
    settleIds(model, { lost, failed, hasAccepted: accepted.size > 0, error });
    throw error;
  }
  return requests.map((request) => accepted.get(request)).filter((submission) => submission !== undefined);
}

/**
 * Plans a pass: cuts its data into chunks that the server accepts, gives each its sequence id, and writes all of them before the
 * first leaves, so that data that cannot be sent fails whole.
 */
function planPass(model: TrainedModel, pass: TrainingPass): PassRequest[] {
  const { channel, sequence } = model;
  const { generation, config } = channel.session.server;
  const encoding = channel.encoding.current;
  const chunks = splitIntoChunks(pass.data, generation.chunkLimits(encoding, config));
  const ids = chunks.map(() => sequence.take());
  const common = { modelId: model.id, pass, generation: generation.fields, memory: channel.bodyMemory };
  try {
    return chunks.map(
      ({ data, size }, index) => new PassRequest({ ...common, data, size, id: ids[index] ?? 0 }, encoding),
    );
  } catch (error) {
    sequence.giveBack(ids);
    // The same fault once more, in the whole of the data: its message then names the datum by its place in the call.
    new PassRequest({ ...common, data: pass.data, size: 0, id: ids[0] ?? 0 }, encoding);
    throw error;
  }
}

/** The parts of one request of a pass. */
interface PassRequestParts {
  readonly id: number;
  readonly modelId: string;
  readonly pass: TrainingPass;
  readonly data: readonly Datum[];
  /** Estimated bytes. */
  readonly size: number;
  readonly generation: "0.4" | "0.38";
  readonly memory: BodyMemory | undefined;
}

/** One request of a pass, written in the encoding that was in use when it was made. */
class PassRequest implements PassBody {
  readonly #parts: PassRequestParts;
  readonly #encoding: Encoding;
  readonly #written: EncodedBody;
  /** Whether the service may know of the request. */
  hasLeft = false;

  /** @throws ValidationError that names the datum, UnsupportedByServerError */
  constructor(parts: PassRequestParts, encoding: Encoding) {
    this.#parts = parts;
    this.#encoding = encoding;
    this.#written = encodePass(parts, encoding);
  }

  get id(): number {
    return this.#parts.id;
  }

  get name(): TrainingPass["name"] {
    return this.#parts.pass.name;
  }

  get size(): number {
    return this.#parts.size;
  }

  bodyIn(encoding: Encoding): EncodedBody {
    return encoding === this.#encoding ? this.#written : encodePass(this.#parts, encoding);
  }

  leaving(): void {
    this.hasLeft = true;
  }

  delivered(): void {
    this.#parts.memory?.giveBack(this.#written.body);
  }
}

function encodePass(parts: PassRequestParts, encoding: Encoding): EncodedBody {
  const { id, modelId, pass, data, generation, memory } = parts;
  const { name, lossFn, lossFnConfig } = pass;
  return encodeForwardBackwardRequest(
    {
      forward_backward_input: {
        data,
        loss_fn: lossFn,
        ...(lossFnConfig === undefined ? {} : { loss_fn_config: lossFnConfig }),
      },
      model_id: modelId,
      seq_id: id,
      forward_only: name === "forward",
    },
    { wire: encoding, generation, memory, isChecked: true },
  );
}

/**
 * Settles the sequence ids after a failure: gives back those that never left, unless the service may hold something that waits
 * for them, or has accepted a part of the call; the order is broken then.
 */
function settleIds(
  model: TrainedModel,
  outcome: {
    readonly lost: readonly PassRequest[];
    readonly failed: ReadonlyMap<PassRequest, unknown>;
    readonly hasAccepted: boolean;
    readonly error: unknown;
  },
): void {
  const { lost, failed, hasAccepted, error } = outcome;
  const unused = lost.filter(({ hasLeft }) => !hasLeft).map(({ id }) => id);
  const firstUnused = Math.min(...unused);
  const mayWait = [...failed].some(
    ([request, cause]) => request.id > firstUnused && request.hasLeft && !isRefusal(cause),
  );
  if (hasAccepted || mayWait) {
    model.turns.break(
      new SequenceBrokenError(
        model.id,
        lost.map(({ id }) => id),
        error,
      ),
    );
  } else {
    model.sequence.giveBack(unused);
  }
}

/** Says whether the service certainly did not take a request. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ApiStatusError &&
    error.status >= 400 &&
    error.status < 500 &&
    !error.earlierTries.some(({ mayHaveArrived }) => mayHaveArrived)
  );
}
