import type { Attributes } from "@opentelemetry/api";
import { TinkexError } from "@tinkex/base";
import type {
  ClientIdentity,
  OperationInfo,
  OperationOutcome,
  OperationTrace,
  RequestTrace,
} from "@tinkex/types";
import { ATTRIBUTES, PROVIDER_NAME, SAMPLE_OPERATION, SPANS } from "./conventions.js";

/** Most metrics of one pass that become attributes of its span. */
const MAX_METRICS = 64;

/** Status by which a poll says that its result is not there yet, which is no failure. */
const PENDING_STATUS = 408;

/** Tells whether an operation draws samples, which the GenAI conventions have names for. */
export function isSample({ client, method }: OperationInfo): boolean {
  return client === "SamplingClient" && method === "sample";
}

/** Name of an operation's span: `text_completion MODEL`, `tinker.forward_backward MODEL`. */
export function operationName(operation: OperationInfo): string {
  const { method, baseModel } = operation;
  const name = isSample(operation) ? SAMPLE_OPERATION : SPANS.operation + snakeCase(method);
  return baseModel === undefined ? name : `${name} ${baseModel}`;
}

function snakeCase(method: string): string {
  return method.replace(/[A-Z]/g, "_$&").toLowerCase();
}

/** The last answer of {@link serverAttributes}: most programs have one server, and asking for it anew costs more than the rest. */
let lastServer: { readonly baseUrl: string | undefined; readonly attributes: Attributes } = {
  baseUrl: undefined,
  attributes: {},
};

/** Address and port of a server, for spans and metrics. */
export function serverAttributes(baseUrl: string | undefined): Attributes {
  if (baseUrl !== lastServer.baseUrl) lastServer = { baseUrl, attributes: readServer(baseUrl) };
  return lastServer.attributes;
}

function readServer(baseUrl: string | undefined): Attributes {
  if (baseUrl === undefined) return {};
  try {
    const { hostname, port, protocol } = new URL(baseUrl);
    const usual = protocol === "http:" ? 80 : 443;
    return {
      [ATTRIBUTES.serverAddress]: hostname,
      [ATTRIBUTES.serverPort]: port === "" ? usual : Number(port),
    };
  } catch {
    return {};
  }
}

/** Attributes that tell samples of one model and server from others, in metrics too. */
export function sampleAttributes({ baseModel }: OperationInfo, { baseUrl }: ClientIdentity): Attributes {
  return defined({
    [ATTRIBUTES.operationName]: SAMPLE_OPERATION,
    [ATTRIBUTES.providerName]: PROVIDER_NAME,
    [ATTRIBUTES.requestModel]: baseModel,
    ...serverAttributes(baseUrl),
  });
}

/** Attributes of an operation that its call knows. */
export function givenAttributes({ operation, service }: OperationTrace): Attributes {
  const { modelId, samplingSessionId, lossFn, datumCount, inputTokenCount, sampleCount } = operation;
  const { maxTokens, temperature, topP, topK, seed, baseModel, method } = operation;
  if (isSample(operation)) {
    return defined({
      ...sampleAttributes(operation, service),
      [ATTRIBUTES.maxTokens]: maxTokens,
      [ATTRIBUTES.temperature]: temperature,
      [ATTRIBUTES.topP]: topP,
      [ATTRIBUTES.topK]: topK,
      [ATTRIBUTES.seed]: seed === undefined ? undefined : Number(seed),
      [ATTRIBUTES.choiceCount]: sampleCount,
      [ATTRIBUTES.inputTokens]: inputTokenCount,
      [ATTRIBUTES.samplingSessionId]: samplingSessionId,
      [ATTRIBUTES.sessionId]: service.sessionId,
    });
  }
  return defined({
    [ATTRIBUTES.method]: method,
    [ATTRIBUTES.requestModel]: baseModel,
    [ATTRIBUTES.runId]: modelId,
    [ATTRIBUTES.samplingSessionId]: samplingSessionId,
    [ATTRIBUTES.lossFn]: lossFn,
    [ATTRIBUTES.datums]: datumCount,
    [ATTRIBUTES.tokens]: inputTokenCount,
    [ATTRIBUTES.sessionId]: service.sessionId,
    ...serverAttributes(service.baseUrl),
  });
}

/** Attributes of an operation that its result brings. */
export function outcomeAttributes({ operation, requestId, seqId, outcome = {} }: OperationTrace): Attributes {
  const { outputTokenCount, cachedTokenCount, stopReasons, metrics, checkpoint }: OperationOutcome = outcome;
  const numbers = Object.entries(metrics ?? {}).slice(0, MAX_METRICS);
  return defined({
    [isSample(operation) ? ATTRIBUTES.responseId : ATTRIBUTES.requestId]: requestId,
    [ATTRIBUTES.seqId]: seqId,
    [ATTRIBUTES.finishReasons]: stopReasons && [...stopReasons],
    [ATTRIBUTES.outputTokens]: outputTokenCount,
    [ATTRIBUTES.cachedTokens]: cachedTokenCount,
    [ATTRIBUTES.checkpointKind]: checkpoint?.kind,
    [ATTRIBUTES.checkpointPath]: checkpoint?.path,
    ...Object.fromEntries(numbers.map(([name, value]) => [ATTRIBUTES.metricPrefix + name, value])),
  });
}

/** Attributes of one try of a request that are known when it leaves. */
export function tryAttributes({ method, url, attempt, byteLength, service }: RequestTrace): Attributes {
  return {
    [ATTRIBUTES.httpMethod]: method,
    [ATTRIBUTES.url]: url,
    [ATTRIBUTES.httpRequestSize]: byteLength,
    ...(attempt > 1 ? { [ATTRIBUTES.httpResendCount]: attempt - 1 } : {}),
    ...serverAttributes(service.baseUrl),
  };
}

/** Attributes of the end of a try; `error.type` of one that failed is its status, or what became of it. */
export function tryEndAttributes({ end, error, endpoint }: RequestTrace): Attributes {
  if (end === undefined) return error === undefined ? {} : { [ATTRIBUTES.errorType]: errorType(error) };
  const { status, outcome, answerByteLength } = end;
  const isPending = status === PENDING_STATUS && endpoint.startsWith("retrieve_future");
  const hasFailed = status === undefined || (status >= 400 && !isPending);
  return defined({
    [ATTRIBUTES.httpStatus]: status,
    [ATTRIBUTES.httpResponseSize]: answerByteLength,
    [ATTRIBUTES.errorType]: hasFailed ? String(status ?? outcome) : undefined,
  });
}

/** Class of an error: the code of ours, the name of others. */
export function errorType(error: unknown): string {
  if (TinkexError.isInstance(error)) return error.code;
  return error instanceof Error ? error.name : typeof error;
}

/** Leaves out what is not known. */
export function defined(attributes: Attributes): Attributes {
  const known: Attributes = {};
  // A loop, since arrays of entries take some microseconds for each span.
  for (const name of Object.keys(attributes))
    if (attributes[name] !== undefined) known[name] = attributes[name];
  return known;
}
