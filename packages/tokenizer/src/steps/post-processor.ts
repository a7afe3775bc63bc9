import { describeKind, ValidationError } from "@tinkex/base";
import { isRecord } from "../file-format/is-record.js";
import { leafParts, type PartConfig, partOfType } from "./leaf-parts.js";

/** Ids that a post-processor puts around a text where special tokens are asked for. */
export interface Affixes {
  readonly prefix: readonly number[];
  readonly suffix: readonly number[];
}

const NO_AFFIXES: Affixes = { prefix: [], suffix: [] };

/** Makers of the kinds of post-processors that Rust's `tokenizers` 0.23 has; ids are those of the file, whatever the vocabulary says. */
const POST_PROCESSORS: Readonly<Record<string, (part: PartConfig) => Affixes>> = {
  BertProcessing: classAndSeparator,
  ByteLevel: () => NO_AFFIXES,
  RobertaProcessing: classAndSeparator,
  TemplateProcessing: templateAffixes,
};

/**
 * Reads the post-processor of a tokenizer.json.
 *
 * @throws ValidationError when a part is not known, or does more than put tokens around a text
 */
export function readPostProcessor(section: object | null): Affixes {
  let affixes = NO_AFFIXES;
  let hasTemplate = false;
  for (const part of leafParts(section, "processors")) {
    const { prefix, suffix } = partOfType(POST_PROCESSORS, part, "post_processor")(part);
    if (prefix.length + suffix.length === 0) continue;
    // Rust takes the pieces that a template leaves for several texts (`processors/template.rs`).
    if (hasTemplate) throw refused("have no further tokens behind those of a TemplateProcessing", "some");
    hasTemplate = part.type === "TemplateProcessing";
    affixes = { prefix: [...prefix, ...affixes.prefix], suffix: [...affixes.suffix, ...suffix] };
  }
  return affixes;
}

/** Puts one token on each side (`processors/bert.rs`, `roberta.rs`). */
function classAndSeparator({ cls, sep }: PartConfig): Affixes {
  return { prefix: [namedId("cls", cls)], suffix: [namedId("sep", sep)] };
}

function namedId(name: string, pair: unknown): number {
  const [token, id]: readonly unknown[] = Array.isArray(pair) ? pair : [];
  if (typeof token === "string" && isId(id)) return id;
  throw refused(`have a token and its id as ${name}`, describeKind(pair));
}

/** Puts tokens where a template has them (`processors/template.rs`); each name in it may stand for several. */
function templateAffixes({ single, special_tokens: tokens }: PartConfig): Affixes {
  if (!Array.isArray(single)) throw refused("have an array as single", describeKind(single));
  const isText = (piece: unknown) => isRecord(piece) && isRecord(piece.Sequence) && piece.Sequence.id === "A";
  const at = single.findIndex(isText);
  if (at === -1) throw refused('have the text as {"Sequence": {"id": "A"}} in single', "none");
  const ids = (pieces: readonly unknown[]) => pieces.flatMap((piece) => specialIds(piece, tokens));
  return { prefix: ids(single.slice(0, at)), suffix: ids(single.slice(at + 1)) };
}

function specialIds(piece: unknown, tokens: unknown): readonly number[] {
  const name = isRecord(piece) && isRecord(piece.SpecialToken) ? piece.SpecialToken.id : undefined;
  const entry =
    typeof name === "string" && isRecord(tokens) && Object.hasOwn(tokens, name) ? tokens[name] : undefined;
  const ids: unknown = isRecord(entry) ? entry.ids : undefined;
  if (Array.isArray(ids) && ids.every(isId)) return ids;
  throw refused(
    "have only tokens beside the text in single, each with its ids in special_tokens",
    typeof name === "string" ? `${JSON.stringify(name.slice(0, 80))} without` : "something else",
  );
}

function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function refused(wanted: string, got: string): ValidationError {
  return new ValidationError(
    `the post_processor of this tokenizer.json must ${wanted}, got ${got}; register a source that gives your own tokenizer for it`,
  );
}
