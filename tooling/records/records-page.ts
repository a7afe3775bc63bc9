import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";

const sources = new URL("../../packages/types/src/", import.meta.url);

/** A record or a union of records, as its source declares it. */
interface Declaration {
  readonly name: string;
  readonly summary: string;
  readonly fields: readonly string[];
  readonly schema: string | undefined;
}

/** `docs/records.md`: every record by family, which is the file it is declared in. */
export function recordsPage(): string {
  const families = readdirSync(sources)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !NOT_RECORDS.has(file))
    .map((file) => ({ file, declarations: declarationsIn(file) }))
    .filter(({ declarations }) => declarations.length > 0);
  return [
    "# Records",
    "",
    "Every record of the API, by family: one file each in `packages/types/src`. Generated from the sources by",
    "`pnpm --filter @tinkex-tooling/records generate`; a test says when it is out of date.",
    "",
    ...families.flatMap(({ file, declarations }) => [
      `## [${file.replace(/\.ts$/, "")}](../packages/types/src/${file})`,
      "",
      "| record | what it is | fields | schema |",
      "|---|---|---|---|",
      ...declarations.map(row),
      "",
    ]),
  ].join("\n");
}

/** Files of errors, shared interfaces and lists, which have no records. */
const NOT_RECORDS = new Set([
  "api-errors.ts",
  "base.ts",
  "clock.ts",
  "http-transport.ts",
  "index.ts",
  "logger.ts",
  "record-schemas.ts",
  "tensor-fault.ts",
  "tinkex-error.ts",
  "tokenizer.ts",
]);

function declarationsIn(file: string): Declaration[] {
  const text = readFileSync(new URL(file, sources), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const schemas = new Map<string, string>();
  for (const [, schema = "", record = ""] of text.matchAll(
    /^export const (\w+Schema): z\.ZodType<(\w+)>/gm,
  )) {
    schemas.set(record, schema);
  }
  return source.statements.flatMap((statement) => {
    if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) return [];
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
    if (!isExported) return [];
    const name = statement.name.text;
    return [{ name, summary: summaryOf(statement), fields: fieldsOf(statement), schema: schemas.get(name) }];
  });
}

/** The first sentence of the doc comment. */
function summaryOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const comment = ts.getTextOfJSDocComment(doc?.comment)?.replace(/\s+/g, " ").trim() ?? "";
  return (/^.*?[.:](?= |$)/.exec(comment)?.[0] ?? comment)
    .replace(/:$/, ".")
    .replace(/\{@link (\w+)[^}]*\}/g, "`$1`");
}

function fieldsOf(node: ts.InterfaceDeclaration | ts.TypeAliasDeclaration): string[] {
  if (!ts.isInterfaceDeclaration(node)) return [];
  return node.members.flatMap((member) => {
    if (!ts.isPropertySignature(member) || !ts.isIdentifier(member.name)) return [];
    return [`${member.name.text}${member.questionToken === undefined ? "" : "?"}`];
  });
}

function row({ name, summary, fields, schema }: Declaration): string {
  const cells = [
    `\`${name}\``,
    summary.replaceAll("|", "\\|"),
    fields.map((field) => `\`${field}\``).join(" "),
    schema === undefined ? "" : `\`${schema}\``,
  ];
  return `| ${cells.join(" | ")} |`;
}
