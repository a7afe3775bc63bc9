import { readFile } from "node:fs/promises";
import { UsageError } from "./run-program.js";

/** A question and its one right answer. */
export interface WordPair {
  /** Text that the model reads, e.g. `Pig Latin: planet ->`. */
  readonly prompt: string;
  /** Text that it should write, e.g. ` anetplay`. */
  readonly completion: string;
}

/** Pairs to train on, and pairs the model never sees in training. */
export interface WordPairs {
  readonly train: readonly WordPair[];
  readonly heldOut: readonly WordPair[];
}

/**
 * Reads both files: one JSON object with `prompt` and `completion` a line.
 *
 * @throws UsageError naming the file, and the line where one is at fault
 */
export async function loadWordPairs(files: {
  readonly train: string;
  readonly heldOut: string;
}): Promise<WordPairs> {
  const [train, heldOut] = await Promise.all([readPairs(files.train), readPairs(files.heldOut)]);
  return { train, heldOut };
}

async function readPairs(file: string): Promise<readonly WordPair[]> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot read the data file ${file} (${cause.code ?? cause.message})`);
  });
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) throw new UsageError(`the data file ${file} is empty`);
  return lines.map((line, index) => parsePair(line, `${file}:${index + 1}`));
}

function parsePair(line: string, place: string): WordPair {
  const record = parseJson(line);
  if (typeof record !== "object" || record === null || !("prompt" in record) || !("completion" in record)) {
    throw new UsageError(`${place} is not a JSON object with "prompt" and "completion"`);
  }
  const { prompt, completion } = record;
  if (typeof prompt !== "string" || typeof completion !== "string") {
    throw new UsageError(`${place}: "prompt" and "completion" must be strings`);
  }
  return { prompt, completion };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
