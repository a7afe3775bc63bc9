import { ByteBudget } from "@tinkex/base";
import { PressureLimits } from "@tinkex/http";
import type { RecordName, Records, UntypedAPIFuture } from "@tinkex/types";
import {
  decodeJsonResponse,
  type EncodedBody,
  encodeJsonRequest,
  type FutureResultName,
  PROTOBUF_TYPE,
  type RequestName,
} from "@tinkex/wire";
import { EncodingChoice } from "../channel/encoding-fallback.js";
import type { QueueStateLog } from "../channel/queue-state-log.js";
import { ResultPoller } from "../channel/result-poller.js";
import { TroubleLog } from "../channel/trouble-log.js";
import type { FutureWork } from "../future/operation-context.js";
import { SAMPLE_PRESSURE } from "../sampling/sample-pressure.js";
import type { ServiceCore } from "../service/service-core.js";
import { methodHeaders, type SdkMethod } from "./sdk-method.js";
import type { ServerProfile } from "./server-profile.js";

/** An operation that the service has accepted. */
export interface Submission<Result> {
  readonly accepted: UntypedAPIFuture;
  /** Settles with the work. It may be left alone: its rejection harms nobody. */
  readonly result: Promise<Result>;
}

/** One operation to submit. */
export interface OperationSpec<Name extends FutureResultName> {
  /** On whose behalf requests are made. */
  readonly method: SdkMethod;
  /** The operation by its name on the wire, e.g. `OptimStep`. */
  readonly requestType: string;
  readonly resultName: Name;
  readonly work: FutureWork;
  readonly log: QueueStateLog;
  /** When the caller started the operation, by the monotonic clock. */
  readonly startedAtMs: number;
  /** Sends the request, telling the work just before, and gives the answer that holds its id. */
  send(headers: Readonly<Record<string, string>>): Promise<UntypedAPIFuture>;
}

/** How a request is sent. */
export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Called when the request is written and leaves next. What it throws keeps it from leaving. */
  readonly onSend?: (() => void) | undefined;
}

/** An open session: its id, what the server is like, and the limits its operations share. */
export class Session {
  readonly id: string;
  readonly core: ServiceCore;
  readonly server: ServerProfile;
  /** How training requests are written. */
  readonly encoding: EncodingChoice;
  /** Bytes of training requests on their way. */
  readonly trainingBudget: ByteBudget;
  /** Submissions of samples, which all samplers of the session share. */
  readonly samplePressure: PressureLimits;
  /** Tokenizers by the name of their model, as far as the server has said. */
  readonly tokenizerIds = new Map<string, string>();
  readonly #responseBudget: ByteBudget;
  readonly #trouble: TroubleLog;

  constructor(id: string, core: ServiceCore, server: ServerProfile) {
    const { config, generation } = server;
    const { clock, random, logger, wire } = core.settings;
    this.id = id;
    this.core = core;
    this.server = server;
    this.encoding = new EncodingChoice(wire, generation.preferredEncoding, logger);
    this.trainingBudget = new ByteBudget(config.fwdbwd_dispatch_bytes_semaphore_size);
    this.#responseBudget = new ByteBudget(config.inflight_response_bytes_semaphore_size);
    this.#trouble = new TroubleLog(clock, logger);
    const maxBytes = config.sample_dispatch_bytes_semaphore_size;
    this.samplePressure = new PressureLimits({ ...SAMPLE_PRESSURE, maxBytes }, clock, random);
  }

  /** Headers of requests made for a public method. */
  headers(method: SdkMethod): Readonly<Record<string, string>> {
    return methodHeaders(method, this.core.settings.sdkVersion);
  }

  /** A training body as it travels: packed where the server allows it and this Node can, JSON never. */
  async packed({ body, contentType }: EncodedBody): Promise<{
    readonly body: Uint8Array;
    readonly encodingHeader: Readonly<Record<string, string>>;
  }> {
    const { compress } = this.core.settings;
    const wanted = this.server.config.proto_compress_fwdbwd && contentType === PROTOBUF_TYPE;
    if (!wanted || compress === undefined) return { body, encodingHeader: {} };
    return { body: await compress(body), encodingHeader: { "content-encoding": "zstd" } };
  }

  /** Sends a JSON record and reads a JSON answer. */
  async post<Sent extends RequestName, Received extends RecordName>(
    operation: string,
    [requestName, record]: readonly [Sent, Records[Sent] & object],
    responseName: Received,
    options: PostOptions,
  ): Promise<Records[Received]> {
    const { body } = encodeJsonRequest(requestName, record, { generation: this.server.generation.fields });
    const { headers, signal, timeoutMs } = options;
    options.onSend?.();
    const response = await this.core.transport.call({
      operation,
      body,
      headers,
      ...(signal === undefined ? {} : { signal }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return decodeJsonResponse(responseName, response.body);
  }

  /** Submits an operation and starts waiting for its result; done when the service has accepted it. */
  async submit<Name extends FutureResultName>(spec: OperationSpec<Name>): Promise<Submission<Records[Name]>> {
    const { work, log } = spec;
    const headers = this.headers(spec.method);
    const accepted = await spec.send(headers);
    work.accepted(accepted.request_id);
    const { clock, random } = this.core.settings;
    const poller = new ResultPoller(
      {
        transport: this.core.transport,
        clock,
        random,
        responseBudget: this.#responseBudget,
        fields: this.server.generation.fields,
        shownText: this.core.settings.shownText,
        onTrouble: (message) => this.#trouble.note(message),
      },
      {
        requestId: accepted.request_id,
        resultName: spec.resultName,
        requestType: spec.requestType,
        roundtripS: (clock.monotonic() - spec.startedAtMs) / 1000,
        headers,
        onQueueState: (event) => {
          log.note(event);
          work.queueState(event);
        },
        signal: work.signal,
      },
    );
    const result = poller.result();
    result.catch(() => {});
    return { accepted, result };
  }
}
