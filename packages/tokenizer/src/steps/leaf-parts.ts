import { ValidationError } from "@tinkex/base";

/** One part of a section of a tokenizer.json, e.g. `{ type: "NFC" }`. */
export type PartConfig = Readonly<Record<string, unknown>>;

/**
 * The parts of a section in the order in which they work, sequences in one another taken apart.
 * @param listName - the name of the list in sequences of the section, e.g. `normalizers`
 */
export function leafParts(section: object | null, listName: string): PartConfig[] {
  if (section === null) return [];
  // Sections are JSON objects, whose keys are strings.
  const part = section as PartConfig;
  if (part.type !== "Sequence") return [part];
  const list: unknown = part[listName] ?? [];
  if (!Array.isArray(list)) return [part];
  return list.flatMap((inner: unknown) =>
    typeof inner === "object" ? leafParts(inner, listName) : [{ type: String(inner) }],
  );
}

/**
 * The entry of a table for the type of a part.
 * @throws ValidationError when there is none.
 */
export function partOfType<T>(table: Readonly<Record<string, T>>, { type }: PartConfig, section: string): T {
  const entry = typeof type === "string" && Object.hasOwn(table, type) ? table[type] : undefined;
  if (entry !== undefined) return entry;
  throw new ValidationError(
    `type of a part of the ${section} of this tokenizer.json must be one of ${Object.keys(table).join(", ")}, got ${JSON.stringify(type)}; register a source that gives your own tokenizer for it`,
  );
}
