import type { Attributes, Meter } from "@opentelemetry/api";
import type { OperationTrace, QueueTrace } from "@tinkex/types";
import { ATTRIBUTES, METRICS, TOKEN_MODALITY } from "./conventions.js";
import type { Guard } from "./guard.js";
import { defined, errorType, isSample, sampleAttributes, serverAttributes } from "./span-attributes.js";

/** Metrics of what the clients of the process do. Its methods throw nothing, so that a span does not fail with its metric. */
export class ClientMetrics {
  readonly #guard: Guard;
  readonly #operationDuration;
  readonly #stepDuration;
  readonly #inputTokens;
  readonly #outputTokens;
  readonly #cachedTokens;
  readonly #trainingTokens;
  readonly #queueDepth;

  constructor(meter: Meter, guard: Guard) {
    this.#guard = guard;
    const { operationDuration, stepDuration, inputTokens, outputTokens, cachedTokens } = METRICS;
    const { trainingTokens, queueDepth } = METRICS;
    const histogram = ({ name, buckets, ...rest }: typeof operationDuration | typeof stepDuration) =>
      meter.createHistogram(name, { ...rest, advice: { explicitBucketBoundaries: buckets } });
    this.#operationDuration = histogram(operationDuration);
    this.#stepDuration = histogram(stepDuration);
    this.#inputTokens = meter.createCounter(inputTokens.name, inputTokens);
    this.#outputTokens = meter.createCounter(outputTokens.name, outputTokens);
    this.#cachedTokens = meter.createCounter(cachedTokens.name, cachedTokens);
    this.#trainingTokens = meter.createCounter(trainingTokens.name, trainingTokens);
    this.#queueDepth = meter.createUpDownCounter(queueDepth.name, queueDepth);
  }

  /** Counts an operation that has settled. */
  operation(trace: OperationTrace, durationS: number): void {
    this.#guard(() => this.#count(trace, durationS));
  }

  #count(trace: OperationTrace, durationS: number): void {
    const { operation, service, error, outcome } = trace;
    if (!isSample(operation)) {
      if (error !== undefined || operation.lossFn === undefined) return;
      this.#trainingTokens.add(operation.inputTokenCount ?? 0, modelAttributes(trace));
      return;
    }
    const attributes = sampleAttributes(operation, service);
    const failure = error === undefined ? {} : { [ATTRIBUTES.errorType]: errorType(error) };
    this.#operationDuration.record(durationS, { ...attributes, ...failure });
    if (outcome?.outputTokenCount === undefined) return;
    const tokens = { ...attributes, [ATTRIBUTES.tokenModality]: TOKEN_MODALITY };
    this.#inputTokens.add(operation.inputTokenCount ?? 0, tokens);
    this.#outputTokens.add(outcome.outputTokenCount, tokens);
    if (outcome.cachedTokenCount !== undefined) this.#cachedTokens.add(outcome.cachedTokenCount, tokens);
  }

  /** Counts a training step that is done. */
  step(trace: OperationTrace, durationS: number): void {
    this.#guard(() => this.#stepDuration.record(durationS, modelAttributes(trace)));
  }

  /** Counts requests that the service has in its queue. @param change - 1 for one more, -1 for one less */
  queue({ requestType, service }: QueueTrace, change: 1 | -1): void {
    const attributes = { [ATTRIBUTES.requestType]: requestType, ...serverAttributes(service.baseUrl) };
    this.#guard(() => this.#queueDepth.add(change, attributes));
  }
}

/** Attributes of training: few values each, so that runs are told apart in traces alone. */
function modelAttributes({ operation, service }: OperationTrace): Attributes {
  const { baseModel } = operation;
  return defined({ [ATTRIBUTES.requestModel]: baseModel, ...serverAttributes(service.baseUrl) });
}
