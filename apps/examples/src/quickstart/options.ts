import { join } from "node:path";
import { parseArgs } from "node:util";
import { UsageError } from "./run-program.js";

/** Settings that `npm start -- --name value` can change. */
export interface QuickstartOptions {
  /** Order of the data and first adapter weights follow from it. */
  readonly seed: number;
  /** Optimiser steps. */
  readonly steps: number;
  readonly runtime: "auto" | "native" | "wasm";
  /** Port of the local server; 0 takes a free one. */
  readonly port: number;
  /** The pairs to train on and those to test on. */
  readonly dataFiles: { readonly train: string; readonly heldOut: string };
  /** Model to fine-tune; the first that the service offers when absent. */
  readonly model: string | undefined;
  /** True when the environment names no service, so that the program starts its own. */
  readonly startsServer: boolean;
}

const DATA_FOLDER = join(import.meta.dirname, "..", "..", "data");

/** English words and their Pig Latin, which ship with the examples. */
export const BUNDLED_DATA = {
  train: join(DATA_FOLDER, "pig-latin-train.jsonl"),
  heldOut: join(DATA_FOLDER, "pig-latin-held-out.jsonl"),
} as const;

const RUNTIMES = ["auto", "native", "wasm"] as const;

/** Reads the command line and the environment. @throws UsageError naming the option at fault */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv): QuickstartOptions {
  const { values } = parse(args);
  const runtime = RUNTIMES.find((name) => name === values.runtime);
  if (runtime === undefined) {
    throw new UsageError(`--runtime must be one of ${RUNTIMES.join(", ")}, not "${values.runtime}"`);
  }
  return {
    seed: wholeNumber("--seed", values.seed),
    steps: Math.max(1, wholeNumber("--steps", values.steps)),
    port: wholeNumber("--port", values.port),
    runtime,
    dataFiles: { train: values.train, heldOut: values["held-out"] },
    model: values.model,
    startsServer: !env.TINKER_API_KEY && !env.TINKER_BASE_URL,
  };
}

const OPTIONS = {
  seed: { type: "string", default: "1" },
  steps: { type: "string", default: "60" },
  runtime: { type: "string", default: "auto" },
  port: { type: "string", default: "0" },
  train: { type: "string", default: BUNDLED_DATA.train },
  "held-out": { type: "string", default: BUNDLED_DATA.heldOut },
  model: { type: "string" },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS });
  } catch (error) {
    // Some messages of Node have several lines.
    const [fault = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    const names = Object.keys(OPTIONS).map((name) => `--${name}`);
    throw new UsageError(`${fault.replace(/\.$/, "")}; options are ${names.join(", ")}`);
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${name} must be a whole number, not "${text}"`);
  return Number(text);
}
