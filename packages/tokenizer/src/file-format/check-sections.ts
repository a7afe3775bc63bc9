import { ValidationError } from "@tinkex/base";

/** More than any tokenizer has, and few enough that what is done with the square of them takes no time. */
const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;
/** A text that a part puts into others, e.g. `content`; those known have a few characters. */
const MAX_TEXT_LENGTH = 256;
/** Texts that stand for more than themselves, and are bounded where they are read. */
const LONG_TEXTS: ReadonlySet<string> = new Set(["precompiled_charsmap", "Regex", "String"]);

/**
 * Checks the sections of a tokenizer.json that say how it works, before any of it is built.
 * @throws ValidationError naming the field that is deeper, larger or longer than any tokenizer has, or that would loop.
 */
export function checkSections(sections: Readonly<Record<string, unknown>>): void {
  let values = 0;
  const visit = (value: unknown, name: string, path: string, depth: number): void => {
    if (depth > MAX_DEPTH) throw invalid(path, `at most ${MAX_DEPTH} levels deep`, "more");
    values += 1;
    if (values > MAX_VALUES) throw invalid(path, `one of at most ${MAX_VALUES} values`, "one more");
    if (typeof value === "string" && value.length > MAX_TEXT_LENGTH && !LONG_TEXTS.has(name)) {
      throw invalid(path, `at most ${MAX_TEXT_LENGTH} characters long`, `${value.length}`);
    }
    if (typeof value !== "object" || value === null) return;
    checkCounts(value, path);
    for (const [key, inner] of Object.entries(value)) visit(inner, key, `${path}.${key}`, depth + 1);
  };
  for (const [name, section] of Object.entries(sections)) visit(section, name, name, 0);
}

/** Checks the fields with which the library would count without end. */
function checkCounts(part: object, path: string): void {
  if (!("type" in part)) return;
  if (part.type === "FixedLength" && !("length" in part && isCount(part.length, 1))) {
    throw invalid(`${path}.length`, "a whole number from 1 on", "another value");
  }
  if (part.type === "Metaspace") {
    const { replacement = "\u2581", str_rep: written = replacement } = part as Readonly<
      Record<string, unknown>
    >;
    for (const text of [replacement, written]) {
      if (typeof text !== "string" || [...text].length !== 1) {
        throw invalid(`${path}.replacement`, "one character", "another value");
      }
    }
  }
}

function isCount(value: unknown, min: number): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= min;
}

function invalid(path: string, wanted: string, got: string): ValidationError {
  return new ValidationError(
    `${path} of this tokenizer.json must be ${wanted}, got ${got}; register a source that gives your own tokenizer for it`,
  );
}
