import { closeSync, readFileSync } from "node:fs";
import { jsonTextFault, ValidationError } from "@tinkex/base";
import { z } from "zod";
import { openRegularFile } from "../files/open-regular-file.js";
import { MAX_ISSUES } from "./bounded-collections.js";
import { shortened } from "./shortened.js";

/** Largest file of settings that is read. Those of models have some kilobytes. */
const MAX_SETTINGS_BYTES = 4 * 2 ** 20;

/**
 * Reads a JSON file and checks it. Fields the schema does not name are dropped.
 *
 * @param maxBytes - the file may have; 4 MiB when nothing is said
 * @throws ValidationError naming the file and the fields at fault
 */
export function readJsonFile<T extends z.ZodType>(file: string, schema: T, maxBytes?: number): z.infer<T> {
  const parsed = schema.safeParse(parseJsonFile(file, maxBytes));
  if (parsed.success) return parsed.data;
  const cause = new z.ZodError(parsed.error.issues.slice(0, MAX_ISSUES));
  throw new ValidationError(
    `${file} is not as expected: ${shortened(z.prettifyError(cause).replaceAll("\n", " "))}; ` +
      "correct these fields, or download or save the file again",
    { cause },
  );
}

/**
 * Parses a JSON file, unless its text would take many times its memory.
 *
 * @throws ValidationError naming the file
 */
export function parseJsonFile(file: string, maxBytes: number = MAX_SETTINGS_BYTES): unknown {
  const refused = (fault: string, cause?: unknown) =>
    new ValidationError(`cannot read ${file}: ${fault}; download or save the file again`, { cause });
  const { descriptor, size } = openRegularFile(file);
  try {
    if (size > maxBytes) throw refused(`it has ${size} bytes, of at most ${maxBytes}`);
    const text = readFileSync(descriptor, "utf8");
    const fault = jsonTextFault(text);
    if (fault !== undefined) throw refused(fault);
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof ValidationError) throw cause;
    throw refused(cause instanceof Error ? shortened(cause.message) : String(cause), cause);
  } finally {
    closeSync(descriptor);
  }
}
