import { readFileSync } from "node:fs";
import { ValidationError } from "@tinkex/base";
import { z } from "zod";

/**
 * Reads a JSON file and checks it. Fields the schema does not name are dropped.
 *
 * @throws ValidationError naming the file and the fields at fault
 */
export function readJsonFile<T extends z.ZodType>(file: string, schema: T): z.infer<T> {
  const parsed = schema.safeParse(readJson(file));
  if (parsed.success) return parsed.data;
  throw new ValidationError(
    `${file} is not as expected: ${z.prettifyError(parsed.error).replaceAll("\n", " ")}. ` +
      "Correct these fields, or download or save the file again.",
    { cause: parsed.error },
  );
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new ValidationError(
      `Cannot read ${file}: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        "Download or save the file again.",
      { cause },
    );
  }
}
