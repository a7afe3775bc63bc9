import { type RecordDescription, recordSchemas } from "@tinkex/types";
import ts from "typescript";
import { readRecordSources } from "./records-page.js";

/** Reads what the declarations say of each record that has a schema, and of its fields: their doc comments, without tags. */
export function recordDescriptions(): Readonly<Record<string, RecordDescription>> {
  const declared = new Map(
    readRecordSources()
      .flatMap(({ statements }) => [...statements])
      .filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
      .map((node) => [node.name.text, node] as const),
  );
  const described = Object.keys(recordSchemas).flatMap((name) => {
    const node = declared.get(name);
    const description = node === undefined ? undefined : wordsOf(node);
    if (node === undefined || description === undefined) return [];
    return [[name, { description, fields: Object.fromEntries(fieldsOf(node, declared)) }] as const];
  });
  return Object.fromEntries(described.sort(([left], [right]) => left.localeCompare(right, "en")));
}

type Declared = ReadonlyMap<string, ts.InterfaceDeclaration | ts.TypeAliasDeclaration>;

/** Lists the fields that have words, those that an interface inherits first. */
function fieldsOf(
  node: ts.InterfaceDeclaration | ts.TypeAliasDeclaration,
  declared: Declared,
): (readonly [field: string, words: string])[] {
  if (!ts.isInterfaceDeclaration(node)) return [];
  const bases = (node.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => type.getText()));
  const inherited = bases.flatMap((base) => {
    const found = declared.get(base);
    return found === undefined ? [] : fieldsOf(found, declared);
  });
  const own = node.members.flatMap((member) => {
    const words = wordsOf(member);
    if (!ts.isPropertySignature(member) || !ts.isIdentifier(member.name) || words === undefined) return [];
    return [[member.name.text, words] as const];
  });
  return [...inherited, ...own];
}

/** Gives a doc comment as one line of plain words. */
function wordsOf(node: ts.Node): string | undefined {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const words = ts
    .getTextOfJSDocComment(doc?.comment)
    ?.replace(/\{@link (\w+)[^}]*\}/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return words === "" ? undefined : words;
}

/** Writes the file of the descriptions, `packages/types/src/descriptions/data/record-descriptions.ts`. */
export function recordDescriptionsFile(): string {
  return [
    'import type { RecordDescription } from "../../schema/record-description.js";',
    "",
    "/** Generated from the doc comments of the records by `pnpm --filter @tinkex-tooling/records generate`. */",
    `export const RECORD_DESCRIPTIONS: Readonly<Record<string, RecordDescription>> = ${JSON.stringify(recordDescriptions(), undefined, 2)};`,
    "",
  ].join("\n");
}
