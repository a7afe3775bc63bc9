import { readFile } from "node:fs/promises";
import { parseWordPairs, type WordPair } from "./parse-word-pairs.js";
import { UsageError } from "./run-program.js";

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
  return parseWordPairs(text, file);
}
