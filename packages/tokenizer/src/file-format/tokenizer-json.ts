import { describeKind, ValidationError } from "@tinkex/base";
import { checkSections } from "./check-sections.js";
import { isRecord } from "./is-record.js";

/** The parts of a `tokenizer.json` that are read here; the rest is passed on to the engine as it is. */
export interface TokenizerJson {
  readonly model: { readonly type?: string; readonly fuse_unk?: boolean };
  readonly normalizer: object | null;
  readonly pre_tokenizer: object | null;
  readonly post_processor: object | null;
  readonly decoder: { readonly type?: string } | null;
  readonly added_tokens: readonly AddedToken[];
  /** Padding of batches, of which no more is read than its token. */
  readonly padding?: unknown;
}

/** A token added on top of the model's vocabulary, in the spelling of `tokenizer.json`. */
export interface AddedToken {
  readonly id: number;
  /** The text it stands for, e.g. `<|im_end|>`. */
  readonly content: string;
  /** True where it steers the model rather than being text; such tokens are skipped by `skipSpecialTokens`. */
  readonly special: boolean;
  /** True where it is looked for in the normalised text rather than in the text as given. */
  readonly normalized: boolean;
  /** True where it is found only if no word character touches it. */
  readonly single_word: boolean;
  /** True where it takes the white space before it along. */
  readonly lstrip: boolean;
  /** True where it takes the white space after it along. */
  readonly rstrip: boolean;
}

/** Sections that may be missing or null. */
const OPTIONAL_SECTIONS = ["normalizer", "pre_tokenizer", "post_processor", "decoder"] as const;

/**
 * Checks the parsed content of a `tokenizer.json` and fills in what it may leave out.
 * @throws ValidationError naming the field that is wrong.
 */
export function parseTokenizerJson(value: unknown): TokenizerJson {
  if (!isRecord(value)) throw invalid(`it must be an object, got ${describeKind(value)}`);
  const { model, added_tokens: addedTokens = [] } = value;
  if (!isRecord(model) || typeof model.vocab !== "object" || model.vocab === null) {
    throw invalid("it has no model.vocab");
  }
  if (!Array.isArray(addedTokens))
    throw invalid(`added_tokens must be an array, got ${describeKind(addedTokens)}`);
  for (const name of OPTIONAL_SECTIONS) {
    const section = value[name];
    if (section !== undefined && section !== null && !isRecord(section)) {
      throw invalid(`${name} must be an object, got ${describeKind(section)}`);
    }
  }
  const sections = Object.fromEntries(OPTIONAL_SECTIONS.map((name) => [name, value[name] ?? null]));
  checkSections(sections);
  // Every field the type names has been checked above or is given a value here.
  return {
    ...value,
    ...sections,
    added_tokens: Array.from(addedTokens, parseAddedToken),
  } as unknown as TokenizerJson;
}

function parseAddedToken(value: unknown, index: number): AddedToken {
  const token = readAddedToken(value);
  if (token === undefined || !isRecord(value) || !Number.isInteger(value.id)) {
    throw invalid(`added_tokens[${index}] has no content or no id`);
  }
  return { ...token, id: Number(value.id) };
}

/** Reads an added token's spelling and flags; undefined for what has no `content`. */
export function readAddedToken(value: unknown): Omit<AddedToken, "id"> | undefined {
  if (!isRecord(value) || typeof value.content !== "string") return undefined;
  const flag = (name: string) => value[name] === true;
  return {
    content: value.content,
    special: flag("special"),
    // The one flag whose default depends on another: special tokens are looked for in the text as given.
    normalized: typeof value.normalized === "boolean" ? value.normalized : !flag("special"),
    single_word: flag("single_word"),
    lstrip: flag("lstrip"),
    rstrip: flag("rstrip"),
  };
}

function invalid(what: string): ValidationError {
  return new ValidationError(
    `this is not the content of a Hugging Face tokenizer.json: ${what}; pass the parsed file, as JSON.parse returns it`,
  );
}
