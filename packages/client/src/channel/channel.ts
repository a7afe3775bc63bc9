import { atMostEvery, ByteBudget, type TransportResponse } from "@tinkex/base";
import { type Compress, PressureLimits, parseRetryHint, type SubmitOutcome } from "@tinkex/http";
import {
  ENDPOINTS,
  type OperationName,
  type RequestOf,
  type ResultOf,
  type SampleRequest,
  type UntypedAPIFuture,
} from "@tinkex/types";
import { type BodyMemory, type EncodedBody, PROTOBUF_TYPE } from "@tinkex/wire";
import type { OperationContext } from "../future/operation-context.js";
import type { Encoding, WireChoice } from "../session/server-generation.js";
import type { ServerProfile } from "../session/server-profile.js";
import type { Session, SessionEnvironment } from "../session/session.js";
import { type EncodingAttempt, EncodingChoice } from "./encoding-choice.js";
import type { QueueStateLog } from "./queue-state-log.js";
import { ResultPoller, type RetrieveEnvironment } from "./result-poller.js";

/** An operation that the service has accepted. */
export interface Submission<Result> {
  readonly accepted: UntypedAPIFuture;
  /** Settles with the work. It may be left alone: its rejection harms nobody. */
  readonly result: Promise<Result>;
}

/** One request of a training pass, written in one encoding. */
export interface PassRequest {
  readonly name: "forward" | "forward_backward";
  readonly seqId: number;
  /** Estimated bytes, for the budget of bytes on their way. */
  readonly size: number;
  readonly encoding: Encoding;
  readonly written: EncodedBody;
  /** Writes the request again, for a server that does not understand the first encoding. */
  writeIn(encoding: Encoding): EncodedBody;
  /** Tells whether the service may know of the request. */
  hasLeft: boolean;
}

/** Options of a channel: the way its bytes are written. */
export interface ChannelOptions {
  readonly wire: WireChoice;
  readonly compress: Compress | undefined;
  /** Memory that the bodies of training requests are written into. */
  readonly bodyMemory: BodyMemory | undefined;
  /** Most submissions of samples on their way. @defaultValue 400 */
  readonly maxSamples: number | undefined;
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
  readonly #options: ChannelOptions;
  readonly #trainingBudget: ByteBudget;
  readonly #samplePressure: PressureLimits;
  readonly #retrieving: RetrieveEnvironment;

  constructor(session: Session, options: ChannelOptions) {
    const { config, generation } = session.server;
    const { clock, random, logger } = session.environment;
    this.session = session;
    this.server = session.server;
    this.environment = session.environment;
    this.encoding = new EncodingChoice(options.wire, generation.preferredEncoding, logger);
    this.bodyMemory = options.bodyMemory;
    this.#options = options;
    this.#trainingBudget = new ByteBudget(config.fwdbwd_dispatch_bytes_semaphore_size);
    const maxBytes = config.sample_dispatch_bytes_semaphore_size;
    const most = Math.min(options.maxSamples ?? SAMPLE_PRESSURE.most, MAX_SAMPLES);
    const rules = { ...SAMPLE_PRESSURE, most, least: Math.min(SAMPLE_PRESSURE.least, most), maxBytes };
    this.#samplePressure = new PressureLimits(rules, clock, random);
    const isTroubleLineDue = atMostEvery(LOG_EVERY_MS, clock);
    this.#retrieving = {
      calls: session,
      clock,
      random,
      responseBudget: new ByteBudget(config.inflight_response_bytes_semaphore_size),
      announcesLargeResults: generation.announcesLargeResults,
      shownText: options.shownText,
      onTrouble: (message) => {
        if (isTroubleLineDue()) logger.warn(message);
      },
    };
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
    return this.submitBody(name, body, context, log, context.signal);
  }

  /**
   * Submits an operation whose body is written.
   *
   * @param signal - ends the delivery too; without it a request that is half sent is sent to the end
   */
  async submitBody<Name extends OperationName>(
    name: Name,
    body: Uint8Array,
    context: OperationContext,
    log: QueueStateLog,
    signal?: AbortSignal,
  ): Promise<Submission<ResultOf<Name>>> {
    const response = await this.session.post(name, body, { onBehalfOf: context.onBehalfOf, signal });
    return this.#accepted(name, response, context, log, context.startedAtMs);
  }

  /**
   * Submits one request of a training pass, within the budget of bytes on their way, in the encoding that the server
   * understands. Its delivery is not interrupted: a request that is half sent leaves its sequence id in doubt.
   */
  async submitPass(
    request: PassRequest,
    context: OperationContext,
    log: QueueStateLog,
  ): Promise<Submission<ResultOf<"forward_backward">>> {
    const { closing } = this.environment.lifecycle;
    const release = await this.#trainingBudget.acquire(request.size, closing);
    try {
      const response = await this.#deliverPass(request, context);
      const submission = this.#accepted(request.name, response, context, log, context.startedAtMs);
      // No try is left that might read the body.
      this.bodyMemory?.giveBack(request.written.body);
      return submission;
    } finally {
      release();
    }
  }

  /**
   * Submits a sample, within the limits that all samplers of the session share.
   *
   * @param busyPauseMs - how long to be quiet when the service is too busy and does not say for how long
   */
  async submitSample(
    request: SampleRequest,
    size: number,
    busyPauseMs: number,
    context: OperationContext,
    log: QueueStateLog,
  ): Promise<Submission<ResultOf<"asample">>> {
    // The time spent waiting for a place is ours, not the request's.
    const startedAtMs = this.environment.clock.monotonic();
    const response = await this.#samplePressure.submit(size, context.signal, () =>
      this.#trySample(request, busyPauseMs, context),
    );
    return this.#accepted("asample", response, context, log, startedAtMs);
  }

  async #trySample(
    request: SampleRequest,
    busyPauseMs: number,
    context: OperationContext,
  ): Promise<SubmitOutcome<TransportResponse>> {
    const body = this.session.encode("asample", request, { isChecked: true });
    context.sending();
    const response = await this.session.post("asample", body, {
      onBehalfOf: context.onBehalfOf,
      // The header promises the server that a 429 is understood as "later".
      headers: { "x-tinker-sampling-backpressure": "1" },
      returnStatuses: [429],
      signal: context.signal,
    });
    if (response.status !== 429) return { kind: "accepted", value: response };
    const hint = parseRetryHint(response.headers, this.environment.clock.now());
    return { kind: "busy", pauseMs: hint?.delayMs ?? busyPauseMs };
  }

  async #deliverPass(request: PassRequest, context: OperationContext): Promise<TransportResponse> {
    for (let attempt = this.encoding.firstAttempt(); ; ) {
      const encoded =
        attempt.encoding === request.encoding ? request.written : request.writeIn(attempt.encoding);
      const { body, headers } = await this.#packed(encoded);
      context.sending();
      request.hasLeft = true;
      // A forward pass has an endpoint of its own in JSON only.
      const endpoint = attempt.encoding === "json" ? request.name : "forward_backward";
      const response = await this.session.post(endpoint, body, {
        onBehalfOf: context.onBehalfOf,
        contentType: encoded.contentType,
        headers: headers,
        returnStatuses: attempt.returnStatuses,
      });
      const next: EncodingAttempt | undefined = this.encoding.nextAttempt(attempt, response);
      if (next === undefined) return response;
      attempt = next;
    }
  }

  /** A training body as it travels: packed where the server allows it and this Node can, JSON never. */
  async #packed({ body, contentType }: EncodedBody): Promise<{
    readonly body: Uint8Array;
    readonly headers: Readonly<Record<string, string>>;
  }> {
    const { compress } = this.#options;
    const isWanted = this.server.config.proto_compress_fwdbwd && contentType === PROTOBUF_TYPE;
    if (!isWanted || compress === undefined) return { body, headers: {} };
    return { body: await compress(body), headers: { "content-encoding": "zstd" } };
  }

  /** Reads the ticket of an operation that was accepted, and starts waiting for its result. */
  #accepted<Name extends OperationName>(
    name: Name,
    response: TransportResponse,
    context: OperationContext,
    log: QueueStateLog,
    startedAtMs: number,
  ): Submission<ResultOf<Name>> {
    // Every operation is answered by this record, which the compiler cannot see for a name that is not fixed.
    const accepted = this.session.decode("optim_step", response.body);
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
    });
    // The table's row says which record the operation gives; the compiler cannot follow a name through it.
    const result = poller.result() as Promise<ResultOf<Name>>;
    result.catch(() => {});
    return { accepted, result };
  }
}
