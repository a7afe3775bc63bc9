import type { OperationMessage } from "@tinkex/types";
import type { Metrics } from "./metrics-logger.js";

/** Methods that end a step; its row has the metrics of the passes before them too. */
const LAST_OF_STEP: readonly string[] = ["optimStep", "trainStep"];

const PASSES: readonly string[] = ["forwardBackward", "forwardBackwardCustom"];

/** Most passes of one step whose metrics are kept: a program may make passes and never a step. */
const MAX_PASSES = 4_096;

/** Most rows of a model that wait for passes, or for steps before them, that never end. */
const MAX_HELD_ROWS = 1_000;

interface Step {
  /** Metrics by operation. */
  readonly metrics: Map<number, Metrics>;
  /** Calls of the step that have not settled. */
  pending: number;
  /** Number, once the optimizer was asked for. */
  number: number;
  /** Operation of the optimizer; 0 before it was asked for. */
  lastId: number;
  /** Outcome of the optimizer. */
  outcome: "answered" | "failed" | undefined;
}

const newStep = (): Step => ({
  metrics: new Map(),
  pending: 0,
  number: 0,
  lastId: 0,
  outcome: undefined,
});

/**
 * Gathers the metrics of one model's steps. The order of the calls says which step a pass is of, since results come in any order; a row
 * is given once all calls of its step have settled, in the order of the steps.
 */
export class StepRows {
  readonly #give: (metrics: Metrics, step: number) => void;
  #nextStep: number;
  /** The step that passes belong to until its optimizer is asked for. */
  #open = newStep();
  /** Steps whose optimizer was asked for, oldest first. */
  readonly #asked: Step[] = [];
  /** Rows among them whose optimizer has settled. */
  #held = 0;
  /** Steps by their operations that have not settled. */
  readonly #members = new Map<number, Step>();

  constructor(firstStep: number, give: (metrics: Metrics, step: number) => void) {
    this.#nextStep = firstStep;
    this.#give = give;
  }

  /** Notes a message of the model, and gives the rows that it ends. */
  take(message: OperationMessage): void {
    const { operationId, method } = message.operation;
    switch (message.type) {
      case "operation.started":
        if (LAST_OF_STEP.includes(method)) this.#endStep(operationId);
        else if (PASSES.includes(method)) this.#join(operationId, this.#open);
        return;
      case "operation.metrics": {
        const metrics = this.#members.get(operationId)?.metrics;
        if (metrics !== undefined) keep(metrics, operationId, message.metrics);
        return;
      }
      case "operation.result":
        this.#settle(operationId, "answered");
        return;
      case "operation.failed":
      case "operation.cancelled":
        this.#settle(operationId, "failed");
        return;
      default:
    }
  }

  /** Gives the rows that wait, with what they have. */
  flush(): void {
    for (let index = this.#settledIndex(); index >= 0; index = this.#settledIndex()) this.#finish(index);
  }

  #join(operationId: number, step: Step): void {
    this.#members.set(operationId, step);
    step.pending += 1;
  }

  #endStep(operationId: number): void {
    const step = this.#open;
    this.#join(operationId, step);
    step.lastId = operationId;
    step.number = this.#nextStep;
    this.#nextStep += 1;
    this.#asked.push(step);
    this.#open = newStep();
  }

  #settle(operationId: number, outcome: "answered" | "failed"): void {
    const step = this.#members.get(operationId);
    if (step === undefined) return;
    this.#members.delete(operationId);
    step.pending -= 1;
    if (operationId === step.lastId) {
      step.outcome = outcome;
      this.#held += 1;
    }
    if (this.#held > MAX_HELD_ROWS) this.#finish(this.#settledIndex());
    while (this.#asked[0]?.outcome !== undefined && this.#asked[0].pending === 0) this.#finish(0);
  }

  /** Place of the oldest step whose optimizer has settled; -1 where there is none. */
  #settledIndex(): number {
    return this.#asked.findIndex(({ outcome }) => outcome !== undefined);
  }

  #finish(index: number): void {
    const [step] = this.#asked.splice(index, 1);
    if (step === undefined) return;
    this.#held -= 1;
    const metrics = [...step.metrics].sort(([a], [b]) => a - b);
    if (step.outcome === "answered") {
      this.#give(Object.assign({}, ...metrics.map(([, values]) => values)), step.number);
      return;
    }
    // The gradient of an optimizer that failed is the next one's.
    const next = this.#asked[index] ?? this.#open;
    for (const [operationId, values] of metrics) keep(next.metrics, operationId, values);
  }
}

/** Keeps the metrics of an operation, at the cost of those that came first where there are too many. */
function keep(kept: Map<number, Metrics>, operationId: number, metrics: Metrics): void {
  kept.set(operationId, metrics);
  const [first] = kept.keys();
  if (kept.size > MAX_PASSES && first !== undefined) kept.delete(first);
}
