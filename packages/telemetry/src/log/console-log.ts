import { checkKnownNames, describeValue, ValidationError, visibleText } from "@tinkex/base";
import { drawCurve } from "./draw-curve.js";
import type { Metrics, MetricsLogger } from "./metrics-logger.js";

/** The part of a stream that the console log needs: `process.stdout` is one. */
export interface ConsoleStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string, done?: (error?: Error | null) => void): unknown;
  on?(event: "error", listener: () => void): unknown;
}

/** Options of {@link consoleLog}. */
export interface ConsoleLogOptions {
  /** @defaultValue `process.stdout` */
  readonly stream?: ConsoleStream | undefined;
  /** Steps in all, for a bar. @defaultValue not known: no bar */
  readonly totalSteps?: number | undefined;
  /** Metric that the curve shows. @defaultValue the first whose name holds `loss` or `nll` */
  readonly curve?: string | undefined;
}

/** A log for people. */
export interface ConsoleLog extends MetricsLogger, Disposable {
  log(metrics: Metrics, step: number): void;
  /** Ends the line of the bar, and draws the curve on a terminal. May be called twice. */
  close(): void;
}

const OPTION_NAMES: Readonly<Record<keyof ConsoleLogOptions, true>> = {
  stream: true,
  totalSteps: true,
  curve: true,
};

const BAR_WIDTH = 30;
const DEFAULT_COLUMNS = 80;
/** Begins the line of a terminal again, and clears it. */
const AGAIN = "\r\u001b[K";

/**
 * Shows metrics: on a terminal one line that is drawn again with each step, with a bar, and the curve of the loss at the end; in a pipe
 * a plain line for each step. Where nobody reads the pipe any more, as behind `| head`, nothing is shown, and the program goes on.
 *
 * @throws ValidationError at the call
 */
export function consoleLog(options: ConsoleLogOptions = {}): ConsoleLog {
  checkKnownNames(options, OPTION_NAMES, "the options of consoleLog");
  const { stream = process.stdout, totalSteps } = options;
  if (totalSteps !== undefined && !(Number.isSafeInteger(totalSteps) && totalSteps > 0)) {
    throw new ValidationError(
      `consoleLog: totalSteps must be a whole number of 1 or more, got ${describeValue(totalSteps)}`,
      { path: ["totalSteps"] },
    );
  }
  const isTerminal = stream.isTTY === true;
  let isBroken = false;
  const write = (text: string): void => {
    stream.write(text, (error) => {
      if (!error || isBroken) return;
      isBroken = true;
      // The event that comes next ends a program that does not listen.
      stream.on?.("error", () => {});
    });
  };
  let { curve } = options;
  let isLineOpen = false;
  const numbers: number[] = [];
  const close = (): void => {
    if (isLineOpen) write("\n");
    isLineOpen = false;
    if (isTerminal && numbers.length > 1) write(`\n${curve}, by step\n${drawCurve(numbers)}\n`);
    numbers.length = 0;
  };
  return {
    log(metrics, step) {
      curve ??= Object.keys(metrics).find((name) => name.includes("loss") || name.includes("nll"));
      const value = curve === undefined ? undefined : metrics[curve];
      if (typeof value === "number") numbers.push(value);
      const line = [`step ${step}${totalSteps === undefined ? "" : `/${totalSteps}`}`, ...wordsOf(metrics)];
      if (!isTerminal) {
        write(`${line.join("  ")}\n`);
        return;
      }
      if (totalSteps !== undefined) line.unshift(barOf(step + 1, totalSteps));
      // A line that wraps could not be drawn again. Some terminals do not know their width, and say 0.
      const shown = line.join("  ").slice(0, (stream.columns || DEFAULT_COLUMNS) - 1);
      write(AGAIN + shown);
      isLineOpen = true;
    },
    close,
    [Symbol.dispose]: close,
  };
}

function barOf(done: number, total: number): string {
  const filled = Math.round((Math.min(done, total) / total) * BAR_WIDTH);
  return "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
}

function wordsOf(metrics: Metrics): string[] {
  return Object.entries(metrics).flatMap(([name, value]) =>
    // Names of metrics are the service's words, which must not move the cursor of a terminal.
    value === undefined || value === null ? [] : visibleText(`${name} ${shown(value)}`),
  );
}

/** Numbers with four significant digits, whole ones as they are. */
function shown(value: number | string | boolean): string {
  return typeof value === "number" && !Number.isInteger(value)
    ? String(Number(value.toPrecision(4)))
    : String(value);
}
