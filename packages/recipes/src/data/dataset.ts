import { createHash } from "node:crypto";
import { describeValue, systemClock, ValidationError, waitFor } from "@tinkex/base";

/** Examples or problems: a list, or anything that can be iterated once, such as `chatsFromJsonl(path)`. */
export type Dataset<Example> = Iterable<Example> | AsyncIterable<Example>;

/**
 * Reads a data set into memory.
 *
 * @param signal - ends the reading, also of a source that hangs
 * @throws ValidationError when it cannot be iterated
 */
export async function readDataset<Example>(
  dataset: Dataset<Example>,
  place: string,
  signal?: AbortSignal | undefined,
): Promise<readonly Example[]> {
  checkDataset(dataset, place);
  return waitFor(examplesOf(dataset, signal), { signal }, systemClock, place);
}

async function examplesOf<Example>(
  dataset: Dataset<Example>,
  signal: AbortSignal | undefined,
): Promise<Example[]> {
  const examples: Example[] = [];
  for await (const example of dataset) {
    // Nobody waits for the rest, which may have no end.
    if (signal?.aborted) break;
    examples.push(example);
  }
  return examples;
}

/**
 * Checks that a data set can be iterated.
 *
 * @param pathAdvice - end of the message about a string, which is as a rule the path of a file
 * @throws ValidationError
 */
export function checkDataset(dataset: unknown, place: string, pathAdvice = ""): void {
  const isIterable =
    typeof dataset === "object" &&
    dataset !== null &&
    !ArrayBuffer.isView(dataset) &&
    (Symbol.iterator in dataset || Symbol.asyncIterator in dataset);
  if (isIterable) return;
  const advice = typeof dataset === "string" ? pathAdvice : "";
  throw new ValidationError(`${place} must be an array or an iterable, got ${describeValue(dataset)}${advice}`);
}

/**
 * Size and hash of examples, by which a run that goes on tells that its data are the same.
 *
 * @throws ValidationError for an example that is no plain data, such as one that holds itself
 */
export function fingerprint(
  examples: readonly unknown[],
  place: string,
): { readonly size: number; readonly sha256: string } {
  return { size: examples.length, sha256: hashOf(examples, (index) => `${place}[${index}]`) };
}

/**
 * Hash of several things.
 *
 * @param placeOf - names one of them in messages
 * @throws ValidationError for one that is no plain data
 */
export function hashOf(parts: readonly unknown[], placeOf: (index: number) => string): string {
  const hash = createHash("sha256");
  for (const [index, part] of parts.entries()) {
    try {
      hash.update(`${JSON.stringify(part, plain) ?? ""}\n`);
    } catch (cause) {
      throw new ValidationError(`${placeOf(index)} must be plain data that does not hold itself`, { cause });
    }
  }
  return hash.digest("hex");
}

/** Copies data as JSON can hold it, for readers of a file. @throws TypeError for what holds itself */
export function plainData(data: object): object {
  return JSON.parse(JSON.stringify(data, plain));
}

/** Values as JSON has them: typed arrays as arrays, long integers as strings. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "function";
  return ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value as Uint8Array) : value; // as the check says
}
