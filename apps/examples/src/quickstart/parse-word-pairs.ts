import { UsageError } from "./run-program.js";

/** A question and its one right answer. */
export interface WordPair {
  /** Text that the model reads, e.g. `Pig Latin: planet ->`. */
  readonly prompt: string;
  /** Text that it should write, e.g. ` anetplay`. */
  readonly completion: string;
}

/**
 * Reads one JSON object with `prompt` and `completion` a line.
 *
 * @param file - its name, for messages
 * @throws UsageError naming the file, and the line where one is at fault
 */
export function parseWordPairs(text: string, file: string): readonly WordPair[] {
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
