import { ApiStatusError, atMostEvery, ByteBudget } from "@tinkex/base";
import { type Compress, type PressureLimits, parseRetryHint, type SubmitOutcome } from "@tinkex/http";
import {
  ENDPOINTS,
  type OperationName,
  type RequestOf,
  type ResultOf,
  type SampleRequest,
  type UntypedAPIFuture,
} from "@tinkex/types";
import { type BodyMemory, decodeJsonResponse, type EncodedBody, PROTOBUF_TYPE } from "@tinkex/wire";
import { isTraced } from "../events/event-hub.js";
import type { OperationContext } from "../future/operation-context.js";
import { SpareMemories } from "../inputs/spare-memories.js";
import type { Encoding, WireChoice } from "../session/server-generation.js";
import type { ServerProfile } from "../session/server-profile.js";
import type { Session, SessionEnvironment } from "../session/session.js";
import { BatchPoller } from "./batch-poller.js";
import { CancelQueue } from "./cancel-queue.js";
import { type EncodingAttempt, EncodingChoice, isAboutEncoding } from "./encoding-choice.js";
import { inDoubt } from "./in-doubt.js";
import { ModelCreations } from "./model-creations.js";
import type { QueueStateLog } from "./queue-state-log.js";
import { ResultPoller, type RetrieveEnvironment } from "./result-poller.js";
import { sharedPressure } from "./shared-pressure.js";
import { TicketReader } from "./ticket-reader.js";

/** An operation that the service has accepted. */
export interface Submission<Result> {
  readonly accepted: UntypedAPIFuture;
  /** Settles with the work. It may be left alone: its rejection harms nobody. */
  readonly result: Promise<Result>;
}

/** One request of a training pass, written in one encoding. */
export interface PassRequest {
  readonly name: "forward" | "forward_backward";
  /** Estimated bytes, for the budget of bytes on their way. */
  readonly size: number;
  readonly encoding: Encoding;
  written: EncodedBody;
  /** Writes the request again, for a server that does not understand the first encoding. */
  writeIn(encoding: Encoding): EncodedBody;
  /** Tells whether the service may know of the request. */
  hasLeft: boolean;
}

/** Rules for the delivery of one request whose arrival must not be in doubt. */
export interface Delivery {
  /** Ends it between tries; a try that has begun to leave goes on to its end. */
  readonly stopSignal?: AbortSignal | undefined;
  /** Error statuses that another try does not mend. */
  readonly finalStatuses?: readonly number[] | undefined;
}

/** Rules for the delivery of one sample. */
export interface SampleDelivery {
  /** Estimated bytes of the prompt. */
  readonly size: number;
  /** Time to be quiet when the service is too busy and does not say for how long, in milliseconds. */
  readonly busyPauseMs: number;
  /** Tells whether fields that the record does not have are sent too. */
  readonly isUnchecked: boolean | undefined;
  /** Waits for the result, together with those of the sampler's other samples. */
  readonly batch: BatchPoller | undefined;
}

/** Bytes on their way, and operations that wait for room. */
export interface ChannelStats {
  readonly trainingBytes: number;
  readonly resultBytes: number;
  /** Operations that wait, apart from samples. */
  readonly waiting: number;
  /** Those of samples: one object for all channels of an account. */
  readonly samples: Pick<PressureLimits, "bytes" | "waiting">;
}

/** Options of a channel: the way its bytes are written. */
export interface ChannelOptions {
  readonly wire: WireChoice;
  readonly compress: Compress | undefined;
  /** Memory that the bodies of training requests are written into. */
  readonly bodyMemory: BodyMemory | undefined;
  /** Address and key, by which clients share the limits on samples; `undefined` when they are not known. */
  readonly account: string | undefined;
  /** Most submissions of samples on their way. @defaultValue 400 */
  readonly maxSamples: number | undefined;
  /** Milliseconds without one good answer to a poll after which its result is given up. */
  readonly maxFailingMs: number;
  /** Makes a server's words fit for messages and log lines. */
  readonly shownText: ((text: string) => string) | undefined;
}

/** Submissions of samples on their way at one time, beside their bytes, which the service's configuration says. */
const SAMPLE_PRESSURE = { most: 400, least: 10, busyWeight: 20, carefulMs: 10_000, spreadMs: 250 };

/** Bound of the caller's own limit, which halves while the service is busy and so must be finite. */
const MAX_SAMPLES = 100_000;

const LOG_EVERY_MS = 60_000;

/** The way of a session's operations: bytes out, results in, within the limits that the operations share. */
export class Channel {
  readonly session: Session;
  readonly server: ServerProfile;
  readonly environment: SessionEnvironment;
  /** Encoding of training requests. */
  readonly encoding: EncodingChoice;
  readonly bodyMemory: BodyMemory | undefined;
  /** Memory of the tensors of training passes. */
  readonly tensorMemory = new SpareMemories();
  /** Ids of the models that were made in the session and are not unloaded. */
  readonly models = new Set<string>();
  /** The creations of models that are under way. */
  readonly creations: ModelCreations;
  /** Work that was given up, for the service to stop. */
  readonly cancellations: CancelQueue;
  readonly #options: ChannelOptions;
  readonly #trainingBudget: ByteBudget;
  readonly #samplePressure: PressureLimits;
  readonly #retrieving: RetrieveEnvironment;
  readonly #activeBatches = new Set<BatchPoller>();

  constructor(session: Session, options: ChannelOptions) {
    const { config, generation } = session.server;
    const { clock, random, logger } = session.environment;
    this.session = session;
    this.server = session.server;
    this.environment = session.environment;
    this.encoding = new EncodingChoice(options.wire, generation.preferredEncoding, logger);
    this.bodyMemory = options.bodyMemory;
    this.creations = new ModelCreations(session);
    this.cancellations = new CancelQueue(session);
    this.#options = options;
    this.#trainingBudget = new ByteBudget(config.fwdbwd_dispatch_bytes_semaphore_size);
    const maxBytes = config.sample_dispatch_bytes_semaphore_size;
    const most = Math.min(options.maxSamples ?? SAMPLE_PRESSURE.most, MAX_SAMPLES);
    const rules = { ...SAMPLE_PRESSURE, most, least: Math.min(SAMPLE_PRESSURE.least, most), maxBytes };
    this.#samplePressure = sharedPressure(rules, clock, random, options.account);
    const isTroubleLineDue = atMostEvery(LOG_EVERY_MS, clock);
    this.#retrieving = {
      calls: session,
      clock,
      random,
      responseBudget: new ByteBudget(config.inflight_response_bytes_semaphore_size),
      announcesLargeResults: generation.announcesLargeResults,
      shownText: options.shownText,
      maxFailingMs: options.maxFailingMs,
      onTrouble: (message) => {
        if (isTroubleLineDue()) logger.warn(message);
      },
    };
  }

  /**
   * Makes what waits for the samples of one sampler, where the service wants that.
   *
   * @param clonedSamplerId - number of the copy that the samples are of; 0 is the original
   */
  batchPoller(samplingSessionId: string, clonedSamplerId = 0): BatchPoller | undefined {
    if (!this.server.config.sample_use_retrieve_futures) return undefined;
    const { clock, random, logger, lifecycle } = this.environment;
    const target = { type: "sampling_session", sampling_session_id: samplingSessionId } as const;
    return new BatchPoller(
      { ...target, cloned_sampler_id: clonedSamplerId },
      {
        active: this.#activeBatches,
        calls: this.session,
        clock,
        random,
        logger,
        closing: lifecycle.closing,
        maxFailingMs: this.#options.maxFailingMs,
        onTrouble: this.#retrieving.onTrouble,
      },
    );
  }

  /** Bytes on their way, and operations that wait for room, at this moment. */
  stats(): ChannelStats {
    const { responseBudget } = this.#retrieving;
    return {
      trainingBytes: this.#trainingBudget.taken,
      resultBytes: responseBudget.taken,
      waiting: this.#trainingBudget.waiting + responseBudget.waiting,
      samples: this.#samplePressure,
    };
  }

  /** Tells the service of all results that were fetched, and of the samples that were given up, before the connections go. */
  async flush(): Promise<void> {
    await Promise.all([...this.#activeBatches, this.cancellations].map((each) => each.flush()));
  }

  /** Submits an operation of one JSON record; done when the service has accepted it. */
  async submit<Name extends OperationName>(
    name: Name,
    record: RequestOf<Name>,
    context: OperationContext,
    log: QueueStateLog,
  ): Promise<Submission<ResultOf<Name>>> {
    const body = this.session.encode(name, record, { what: context.name });
    context.sending();
    return this.submitBody(name, body, context, log, { signal: context.signal });
  }

  /** Submits an operation whose body is written. @param delivery - `signal` ends it at once, half sent as it may be */
  async submitBody<Name extends OperationName>(
    name: Name,
    body: Uint8Array,
    context: OperationContext,
    log: QueueStateLog,
    delivery: Delivery & { readonly signal?: AbortSignal },
  ): Promise<Submission<ResultOf<Name>>> {
    const { onBehalfOf, startedAtMs } = context;
    const answer = new TicketReader();
    const { isReadable } = answer;
    const response = await this.session.post(name, body, { ...delivery, onBehalfOf, isReadable });
    const ticket = answer.ticket ?? decodeJsonResponse("UntypedAPIFuture", response.body);
    return this.#accepted(name, ticket, context, log, startedAtMs);
  }

  /** Submits one request of a training pass, within the budget of bytes on their way, in the encoding that the server understands. */
  submitPass(
    request: PassRequest,
    context: OperationContext,
    log: QueueStateLog,
    delivery: Delivery,
  ): Promise<Submission<ResultOf<"forward_backward">>> {
    const { events } = this.environment;
    const { chunkTracing: tracing } = events;
    if (tracing === undefined || !isTraced(tracing)) return this.#submitPass(request, context, log, delivery);
    const { operationId = 0 } = context.onBehalfOf;
    return events.aroundChunk(operationId, request, () => this.#submitPass(request, context, log, delivery));
  }

  async #submitPass(
    request: PassRequest,
    context: OperationContext,
    log: QueueStateLog,
    delivery: Delivery,
  ): Promise<Submission<ResultOf<"forward_backward">>> {
    const { closing } = this.environment.lifecycle;
    const release =
      this.#trainingBudget.tryAcquire(request.size) ??
      (await this.#trainingBudget.acquire(request.size, delivery.stopSignal ?? closing));
    let attempt = this.encoding.first;
    try {
      for (let first: unknown; ; ) {
        try {
          const ticket = await this.#tryPass(request, attempt, context, delivery);
          this.encoding.accepted(attempt);
          const submission = this.#accepted(request.name, ticket, context, log, context.startedAtMs);
          // No try is left that might read the body.
          this.bodyMemory?.giveBack(request.written.body);
          return submission;
        } catch (error) {
          const next = this.encoding.nextAttempt(attempt, error);
          if (next === undefined) throw first === undefined ? error : failureOf(first, error);
          first = error;
          attempt = next;
        }
      }
    } finally {
      release();
    }
  }

  /** Submits a sample, within the limits that all samplers of the session share. */
  submitSample(
    request: SampleRequest,
    sample: SampleDelivery,
    context: OperationContext,
    log: QueueStateLog,
  ): Promise<Submission<ResultOf<"asample">>> {
    // The time spent waiting for a place is ours, not the request's.
    const startedAtMs = this.environment.clock.monotonic();
    return this.#samplePressure.submit(sample.size, context.signal, () =>
      this.#trySample(request, sample, context, log, startedAtMs),
    );
  }

  /** Waits once more, on nobody's behalf, for the result of a creation that was given up, so that it can be undone. */
  resultOf<Name extends OperationName>(name: Name, accepted: UntypedAPIFuture): Promise<ResultOf<Name>> {
    const { request_id: requestId } = accepted;
    const { result: resultName, requestType } = ENDPOINTS[name].future;
    const { signal } = this.creations;
    const context = {
      name,
      signal,
      onBehalfOf: {},
      queueState() {},
      stillWaiting() {},
      isAwaited: () => false,
    };
    const request = { requestId, resultName, requestType, roundtripS: 0, context, log: { note() {} } };
    // As for the result that is waited for first.
    return new ResultPoller(this.#retrieving, request).result() as Promise<ResultOf<Name>>;
  }

  async #trySample(
    request: SampleRequest,
    { busyPauseMs, isUnchecked, batch }: SampleDelivery,
    context: OperationContext,
    log: QueueStateLog,
    startedAtMs: number,
  ): Promise<SubmitOutcome<Submission<ResultOf<"asample">>>> {
    const body = this.session.encode("asample", request, { isChecked: true, unchecked: isUnchecked });
    context.sending();
    // The sample may be complete before its ticket is here.
    const endSubmitting = batch?.submitting();
    try {
      const answer = new TicketReader();
      const response = await this.session.post("asample", body, {
        onBehalfOf: context.onBehalfOf,
        headers: BACKPRESSURE,
        returnStatuses: BUSY,
        signal: context.signal,
        isReadable: answer.isReadable,
      });
      if (response.status === 429) {
        const hint = parseRetryHint(response.headers, this.environment.clock.now());
        return { kind: "busy", pauseMs: hint?.delayMs ?? busyPauseMs };
      }
      const ticket = answer.ticket ?? decodeJsonResponse("UntypedAPIFuture", response.body);
      const value = this.#accepted("asample", ticket, context, log, startedAtMs, batch);
      return { kind: "accepted", value };
    } finally {
      endSubmitting?.();
    }
  }

  async #tryPass(
    request: PassRequest,
    { encoding, finalStatuses = [] }: EncodingAttempt,
    context: OperationContext,
    delivery: Delivery,
  ): Promise<UntypedAPIFuture> {
    const encoded = encoding === request.encoding ? request.written : request.writeIn(encoding);
    const isWanted = this.server.config.proto_compress_fwdbwd && encoded.contentType === PROTOBUF_TYPE;
    // Packed where the server allows it and this Node can, JSON never.
    const compress = isWanted ? this.#options.compress : undefined;
    const body = compress === undefined ? encoded.body : await compress(encoded.body);
    context.sending();
    request.hasLeft = true;
    const answer = new TicketReader();
    // A forward pass has an endpoint of its own in JSON only.
    const response = await this.session.post(encoding === "json" ? request.name : "forward_backward", body, {
      onBehalfOf: context.onBehalfOf,
      contentType: encoded.contentType,
      headers: compress === undefined ? undefined : PACKED,
      stopSignal: delivery.stopSignal,
      finalStatuses: [...finalStatuses, ...(delivery.finalStatuses ?? [])],
      isReadable: answer.isReadable,
    });
    return answer.ticket ?? decodeJsonResponse("UntypedAPIFuture", response.body);
  }

  /** Notes that an operation was accepted, and starts waiting for its result. */
  #accepted<Name extends OperationName>(
    name: Name,
    accepted: UntypedAPIFuture,
    context: OperationContext,
    log: QueueStateLog,
    startedAtMs: number,
    batch?: BatchPoller,
  ): Submission<ResultOf<Name>> {
    context.accepted(accepted.request_id);
    const { clock } = this.environment;
    const { result: resultName, requestType } = ENDPOINTS[name].future;
    const poller = new ResultPoller(this.#retrieving, {
      requestId: accepted.request_id,
      resultName,
      requestType,
      roundtripS: (clock.monotonic() - startedAtMs) / 1000,
      context,
      log,
      batch,
    });
    // The table's row says which record the operation gives; the compiler cannot follow a name through it.
    const result = context.whileQueued(accepted.request_id, requestType, poller) as Promise<ResultOf<Name>>;
    result.catch(() => {});
    return { accepted, result };
  }
}

/** Gives the error that tells more of a request that failed twice, the first time perhaps for its encoding. */
function failureOf(first: unknown, last: unknown): unknown {
  if (!isAboutEncoding(first)) return inDoubt(last);
  // A server that does not understand the second encoding either says nothing of the request in it.
  return isAboutEncoding(last) || !(last instanceof ApiStatusError) ? first : last;
}

/** Headers of a packed body. */
const PACKED = { "content-encoding": "zstd" };

/** Promises the server that a 429 to a sample is understood as "later". */
const BACKPRESSURE = { "x-tinker-sampling-backpressure": "1" };
const BUSY = [429];
