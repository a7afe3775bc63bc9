import { jsonTextFault, ValidationError } from "@tinkex/base";
import { z } from "zod";
import { MAX_ISSUES } from "./bounded-collections.js";
import { shortened } from "./shortened.js";

/** Content of a JSON file, and the name by which messages call the file. */
export interface NamedJson {
  readonly file: string;
  readonly value: unknown;
}

/**
 * Parses the text of a JSON file, unless it would take many times its memory.
 *
 * @throws ValidationError naming the file
 */
export function parseJson(text: string, file: string): unknown {
  const fault = jsonTextFault(text);
  if (fault !== undefined) throw unreadableJson(file, fault);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadableJson(file, cause instanceof Error ? shortened(cause.message) : String(cause), cause);
  }
}

/** @returns the error for a JSON file that is none */
export function unreadableJson(file: string, fault: string, cause?: unknown): ValidationError {
  return new ValidationError(`cannot read ${file}: ${fault}; download or save the file again`, { cause });
}

/**
 * Checks what a JSON file holds. Fields the schema does not name are dropped.
 *
 * @throws ValidationError naming the file and the fields at fault
 */
export function checkJson<T extends z.ZodType>({ file, value }: NamedJson, schema: T): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const cause = new z.ZodError(parsed.error.issues.slice(0, MAX_ISSUES));
  throw new ValidationError(
    `${file} is not as expected: ${shortened(z.prettifyError(cause).replaceAll("\n", " "))}; ` +
      "correct these fields, or download or save the file again",
    { cause },
  );
}
