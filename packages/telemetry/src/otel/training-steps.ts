import type { Context, Span, Tracer } from "@opentelemetry/api";
import type { OperationTrace } from "@tinkex/types";
import { ATTRIBUTES, SPANS } from "./conventions.js";
import type { Guard } from "./guard.js";
import type { OtelApi } from "./load-api.js";
import { defined } from "./span-attributes.js";

/** Methods that add to the gradient, by which a step begins or goes on. */
const PASSES: readonly string[] = ["forwardBackward", "forwardBackwardCustom"];

/** The method by which a step ends. */
const LAST = "optimStep";

/** A step with its passes that have not settled. */
interface Step {
  readonly span: Span;
  readonly context: Context;
  readonly startedAtMs: number;
  pending: number;
  /** The optimizer was asked for: what is called next belongs to the next step. */
  isClosed: boolean;
  hasFailed: boolean;
}

export interface TrainingStepsOptions {
  readonly api: OtelApi;
  readonly tracer: Tracer;
  readonly nowMs: () => number;
  readonly guard: Guard;
  /** Told of each step that is done. */
  readonly onStep: (last: OperationTrace, durationS: number) => void;
}

/**
 * Puts the passes of a model and the step of the optimizer after them below one span. The order of the calls says what belongs to it,
 * so that pipelined steps are told apart. It ends when all of it has settled: with the optimizer, or without one when a pass failed.
 */
export class TrainingSteps {
  readonly #options: TrainingStepsOptions;
  /** Steps that further calls belong to, by client and model. */
  readonly #current = new Map<string, Step>();
  /** Steps by their operations that have not settled. */
  readonly #members = new Map<OperationTrace, Step>();

  constructor(options: TrainingStepsOptions) {
    this.#options = options;
  }

  /** Gives the context of an operation's span: that of its step, if it is of one, else the one it has. */
  join(trace: OperationTrace, parent: Context): Context {
    const { operation, service } = trace;
    const { method, modelId } = operation;
    const isPass = PASSES.includes(method);
    if (operation.client !== "TrainingClient" || modelId === undefined || !(isPass || method === LAST)) {
      return parent;
    }
    const key = `${service.clientId} ${modelId}`;
    const step = this.#current.get(key) ?? (isPass ? this.#begin(trace, parent) : undefined);
    if (step === undefined) return parent;
    this.#current.set(key, step);
    this.#members.set(trace, step);
    step.pending += 1;
    if (method === LAST) {
      step.isClosed = true;
      this.#current.delete(key);
    }
    return step.context;
  }

  /** Takes an operation out of its step again, since it has no span. */
  leave(trace: OperationTrace): void {
    const step = this.#members.get(trace);
    if (step === undefined) return;
    this.#members.delete(trace);
    step.pending -= 1;
    if (step.pending === 0 && step.isClosed) this.#options.guard(() => step.span.end());
  }

  /** Notes that an operation has settled, after its span has its attributes. */
  settled(trace: OperationTrace): void {
    const step = this.#members.get(trace);
    if (step === undefined) return;
    this.#members.delete(trace);
    step.pending -= 1;
    step.hasFailed ||= trace.error !== undefined;
    if (step.pending > 0 || !(step.isClosed || step.hasFailed)) return;
    this.#forget(step);
    const { api, nowMs, onStep, guard } = this.#options;
    if (step.hasFailed) guard(() => step.span.setStatus({ code: api.SpanStatusCode.ERROR }));
    else onStep(trace, (nowMs() - step.startedAtMs) / 1000);
    // The operation's own span ends right after; a parent ends with its last child.
    queueMicrotask(() => guard(() => step.span.end()));
  }

  /** Ends the spans of steps that are not done. */
  end(): void {
    for (const step of new Set([...this.#current.values(), ...this.#members.values()])) {
      this.#options.guard(() => step.span.end());
    }
    this.#current.clear();
    this.#members.clear();
  }

  #begin({ operation, service }: OperationTrace, parent: Context): Step {
    const { api, tracer, nowMs } = this.#options;
    const { baseModel, modelId } = operation;
    const attributes = defined({
      [ATTRIBUTES.requestModel]: baseModel,
      [ATTRIBUTES.runId]: modelId,
      [ATTRIBUTES.sessionId]: service.sessionId,
    });
    const name = baseModel === undefined ? SPANS.step : `${SPANS.step} ${baseModel}`;
    const span = tracer.startSpan(name, { attributes }, parent);
    const context = api.trace.setSpan(parent, span);
    return { span, context, startedAtMs: nowMs(), pending: 0, isClosed: false, hasFailed: false };
  }

  #forget(step: Step): void {
    for (const [key, current] of this.#current) if (current === step) this.#current.delete(key);
  }
}
