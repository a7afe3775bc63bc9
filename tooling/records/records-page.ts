import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import ts from "typescript";

const packages = new URL("../../packages/", import.meta.url);
const RECORDS = "types/src/records/";
/** Records that the floor below needs as well. */
const RECORDS_OF_BASE = ["base/src/errors/request-error-category.ts", "base/src/tensors/tensor-data.ts"];

/** A record or a union of records, as its source declares it. */
interface Declaration {
  readonly name: string;
  readonly summary: string;
  readonly fields: readonly string[];
  readonly schema: string | undefined;
}

/** The records that one file declares; the page has a section of its name for them. */
interface Family {
  readonly file: string;
  readonly family: string;
  readonly declarations: readonly Declaration[];
}

function recordFiles(): string[] {
  return readdirSync(new URL(RECORDS, packages), { recursive: true, encoding: "utf8" })
    .map((file) => RECORDS + file.replaceAll("\\", "/"))
    .concat(RECORDS_OF_BASE)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
}

/** Parses the files that declare records. */
export function readRecordSources(): ts.SourceFile[] {
  return recordFiles().map(parseFile);
}

function parseFile(file: string): ts.SourceFile {
  const text = readFileSync(new URL(file, packages), "utf8");
  return ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
}

function readFamilies(): Family[] {
  return recordFiles()
    .map((file) => ({ file, family: basename(file, ".ts"), declarations: declarationsIn(file) }))
    .filter(({ declarations }) => declarations.length > 0)
    .sort((left, right) => left.family.localeCompare(right.family, "en"));
}

/** Finds the section of `docs/records.md` that each record stands in, by the record's name. */
export function recordSections(): ReadonlyMap<string, string> {
  return new Map(
    readFamilies().flatMap(({ family, declarations }) =>
      declarations.map(({ name }) => [name, family] as const),
    ),
  );
}

/** Writes `docs/records.md`: every record by family, which is the file it is declared in. */
export function recordsPage(): string {
  const families = readFamilies();
  return [
    "# Records",
    "",
    "Every record of the API, by family: one file each in `packages/types/src/records`. Generated from the sources by",
    "`pnpm --filter @tinkex-tooling/records generate`; a test says when it is out of date.",
    "",
    "## All names",
    "",
    ...families
      .flatMap(({ family, declarations }) => declarations.map(({ name }) => `[\`${name}\`](#${family})`))
      .sort((left, right) => left.localeCompare(right, "en"))
      .map((link, index, links) => (index + 1 < links.length ? `${link} ·` : link)),
    "",
    "Names of the official Python SDK that are not among these:",
    "",
    "| there | here |",
    "|---|---|",
    ...OTHER_NAMES.map(([there, here]) => `| ${there} | ${here} |`),
    "",
    ...families.flatMap(({ file, family, declarations }) => [
      `## [${family}](../packages/${file})`,
      "",
      "| record | what it is | fields, or names | schema |",
      "|---|---|---|---|",
      ...declarations.map(row),
      "",
    ]),
  ].join("\n");
}

/** Names of the official SDK for records that have another name here, or that it has several classes for. */
const OTHER_NAMES: readonly (readonly [there: string, here: string])[] = [
  ["`ParsedCheckpointTinkerPath`", "`CheckpointPath`"],
  ["`LossFnInputs`, `LossFnOutput`", "`NamedTensors`"],
  ["`OptimParams`", "`AdamParams` or `OptimizerParams`"],
  ["`FutureRetrieveResponse`", "`FutureOutcome`"],
  ["`FutureFinished`, `FutureFailed`", "`FutureCompletion`"],
  ["`SamplingSessionFuturesTarget`", "`FuturesTarget`"],
  ["`SaveWeightsForSamplerResponseInternal`", "`SaveWeightsForSamplerResponse`"],
  ["`SaveWeightsExternalResponseInternal`", "`SaveWeightsExternalResponse`"],
  ["`OwnSearchOwner`, `AccessibleSearchOwner`, `UserSearchOwner`", "`SearchOwner`"],
  ["`…SessionStatusQuery`", "`SessionStatusQuery`"],
  ["`SessionActive`, `SessionCancelled`, `SessionFailed`, `ClientSessionFinished`", "`SessionStatus`"],
  ["`ClientSessionFinishReason` and its members", "`FinishReason`"],
  ["`…BillingEvent`", "`BillingEventInfo`"],
  ["`CurrentCheckpointStorageUsageItem`", "`CheckpointStorageUsage`"],
  ["`TelemetryBatch`", "`TelemetrySendRequest`"],
  ["`ModelID`, `RequestID`", "`string`"],
];

function declarationsIn(file: string): Declaration[] {
  const source = parseFile(file);
  const schemas = new Map<string, string>();
  for (const [, schema = "", record = ""] of source.text.matchAll(
    /^export const (\w+Schema): RecordSchema<(\w+)>/gm,
  )) {
    schemas.set(record, schema);
  }
  return source.statements.flatMap((statement) => {
    if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) return [];
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
    if (!isExported) return [];
    const name = statement.name.text;
    const fields = fieldsOf(statement, source);
    return [{ name, summary: summaryOf(statement), fields, schema: schemas.get(name) }];
  });
}

/** Gives the first sentence of the doc comment. */
function summaryOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const comment = ts.getTextOfJSDocComment(doc?.comment)?.replace(/\s+/g, " ").trim() ?? "";
  return (/^.*?\.(?= |$)/.exec(comment)?.[0] ?? comment).replace(/\{@link (\w+)[^}]*\}/g, "`$1`");
}

/** Lists the fields of an interface, those it inherits first; the names that a union of names consists of. */
function fieldsOf(node: ts.InterfaceDeclaration | ts.TypeAliasDeclaration, source: ts.SourceFile): string[] {
  if (!ts.isInterfaceDeclaration(node)) return literalsOf(node.type);
  const bases = (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.map((type) => type.getText(source)),
  );
  const inherited = source.statements
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => bases.includes(name.text))
    .flatMap((base) => fieldsOf(base, source));
  const own = node.members.flatMap((member) => {
    if (!ts.isPropertySignature(member) || !ts.isIdentifier(member.name)) return [];
    return [`${member.name.text}${member.questionToken === undefined ? "" : "?"}`];
  });
  return [...inherited, ...own];
}

function literalsOf(type: ts.TypeNode): string[] {
  if (!ts.isUnionTypeNode(type)) return [];
  const literals = type.types.map((member) =>
    ts.isLiteralTypeNode(member) && ts.isStringLiteral(member.literal)
      ? `"${member.literal.text}"`
      : undefined,
  );
  return literals.flatMap((literal) => literal ?? []);
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
