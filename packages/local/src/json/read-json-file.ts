import { closeSync, readFileSync } from "node:fs";
import { ValidationError } from "@tinkex/base";
import type { z } from "zod";
import { openRegularFile } from "../files/open-regular-file.js";
import { checkJson, parseJson, unreadableJson } from "./parse-json.js";
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
  return checkJson({ file, value: parseJsonFile(file, maxBytes) }, schema);
}

/**
 * Parses a JSON file, unless its text would take many times its memory.
 *
 * @throws ValidationError naming the file
 */
export function parseJsonFile(file: string, maxBytes: number = MAX_SETTINGS_BYTES): unknown {
  const { descriptor, size } = openRegularFile(file);
  try {
    if (size > maxBytes) throw unreadableJson(file, `it has ${size} bytes, of at most ${maxBytes}`);
    return parseJson(readFileSync(descriptor, "utf8"), file);
  } catch (cause) {
    if (cause instanceof ValidationError) throw cause;
    throw unreadableJson(file, cause instanceof Error ? shortened(cause.message) : String(cause), cause);
  } finally {
    closeSync(descriptor);
  }
}
