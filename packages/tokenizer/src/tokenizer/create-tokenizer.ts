import { checkKnownNames, checkNumberList, checkObject, checkString } from "@tinkex/base";
import { AddedTokenSplitter, type TokenFilter } from "../added-tokens/added-token-splitter.js";
import { tokenSettings, withConfiguredTokens } from "../file-format/configured-tokens.js";
import { chatTemplates, namedTokens } from "../file-format/tokenizer-config.js";
import { type AddedToken, parseTokenizerJson } from "../file-format/tokenizer-json.js";
import type { TextRange } from "../text/text-range.js";
import { wellFormed } from "../text/well-formed.js";
import { createEngine, type Engine } from "./engine.js";
import { specialTokenPredicate } from "./special-token-predicate.js";
import {
  DECODE_OPTIONS,
  type DecodeOptions,
  ENCODE_OPTIONS,
  type EncodeOptions,
  type TextTokenizer,
} from "./text-tokenizer.js";
import { tokenIdAt } from "./token-id-at.js";

/** The files of a Hugging Face tokenizer, parsed. */
export interface TokenizerFiles {
  /** The content of `tokenizer.json`, as `JSON.parse` returns it. */
  readonly tokenizer: unknown;
  /** The content of `tokenizer_config.json`, if there is one. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The content of `special_tokens_map.json`, which older models have; read where the config lists no `added_tokens_decoder`. */
  readonly specialTokensMap?: Readonly<Record<string, unknown>>;
  /** The content of `added_tokens.json`, which older models have; read as the one before. */
  readonly addedTokens?: Readonly<Record<string, unknown>>;
  /** The content of `chat_template.jinja`, where the template has a file of its own; with such files the config's do not count. */
  readonly chatTemplate?: string;
  /** The contents of the files in `additional_chat_templates`, by their names without the ending, e.g. `tool_use`. */
  readonly additionalChatTemplates?: Readonly<Record<string, string>>;
}

/**
 * Makes a tokenizer from the files of a Hugging Face model. Ids and text are those of Python's `tokenizers` library, with the
 * tokens that `AutoTokenizer` of transformers 5 adds from the other files, and one difference: special tokens spelled out in a text
 * stay text unless `allowedSpecial` names them.
 *
 * @throws ValidationError when the files are not a tokenizer's, or use a part that the engine lacks.
 */
export function createTokenizer(files: TokenizerFiles): TextTokenizer {
  checkObject(files, "createTokenizer: files", "{ tokenizer, config }");
  const json = parseTokenizerJson(files.tokenizer);
  const config = files.config ?? {};
  const engine = createEngine(json);
  const tokenFiles = { ...files, config, padding: json.padding };
  const added = withConfiguredTokens(json.added_tokens, tokenFiles, engine);
  const addedById = new Map(added.map((token) => [token.id, token]));
  const writtenById = new Map(added.map((token) => [token.id, writtenForm(token, engine)]));
  const addedByContent = new Map(added.map((token) => [token.content, token]));
  const special = added.filter((token) => token.special);
  const specialTokens: ReadonlyMap<string, number> = new Map(
    special.map((token) => [token.content, token.id]),
  );

  const splitter = new AddedTokenSplitter(added, engine.normalize);
  const tokenId = (token: string) => addedByContent.get(token)?.id ?? engine.tokenId(token);
  const token = (id: number) => writtenById.get(id) ?? engine.token(id);
  const decodedToken = (id: number, options: DecodeOptions) =>
    options.skipSpecialTokens === true && addedById.get(id)?.special === true ? undefined : token(id);
  const { prefix, suffix } = engine.affixes;

  return {
    vocabularySize: countTokens(engine, added),
    specialTokens,
    addedTokens: new Map(added.map(({ content, id }) => [content, id])),
    namedTokens: namedTokens(tokenSettings(tokenFiles)),
    chatTemplates: chatTemplates(templatesOfFiles(files) ?? config),
    tokenId,
    token,
    tokenBytes: bytesOfId(token, engine.tokenBytes),

    encode(text, options = {}) {
      checkString(text, "encode: text");
      checkKnownNames(options, ENCODE_OPTIONS, "the options of encode");
      const ids: number[] = [];
      for (const section of splitter.split(wellFormed(text), tokenFilter(options, specialTokens))) {
        if ("token" in section) ids.push(section.token.id);
        // One by one: a spread of a long text's ids would overflow the stack.
        else for (const id of engine.encode(section.text, section.isFirst)) ids.push(id);
      }
      return options.addSpecialTokens === true ? [...prefix, ...ids, ...suffix] : ids;
    },

    decode(ids, options = {}) {
      checkNumberList(ids, "decode: ids");
      checkKnownNames(options, DECODE_OPTIONS, "the options of decode");
      const tokens: string[] = [];
      for (let i = 0; i < ids.length; i += 1) {
        const written = decodedToken(tokenIdAt(ids, i, "decode: ids"), options);
        if (written !== undefined) tokens.push(written);
      }
      return tokens.length === 0 ? "" : engine.text(tokens);
    },

    startDecoding(options = {}) {
      checkKnownNames(options, DECODE_OPTIONS, "the options of startDecoding");
      const decoding = engine.startDecoding();
      return {
        push(id) {
          const written = decodedToken(id, options);
          return written === undefined ? "" : decoding.push(written).join("");
        },
        end: () => decoding.end().join(""),
      };
    },
  };
}

/** The templates that have files of their own, as the setting of a config; undefined where there are none. */
function templatesOfFiles(files: TokenizerFiles): Record<"chat_template", object> | undefined {
  const { chatTemplate, additionalChatTemplates = {} } = files;
  const templates = {
    ...(chatTemplate !== undefined && { default: chatTemplate }),
    ...additionalChatTemplates,
  };
  return Object.keys(templates).length === 0 ? undefined : { chat_template: templates };
}

/**
 * The form in which the decoder gets a token: Python's `tokenizers` gives one that is sought in normalised text in its normalised
 * spelling. (That library then fails to skip it, should it be special; here it is skipped like any other.)
 */
function writtenForm(token: AddedToken, engine: Engine): string {
  return token.normalized ? engine.normalize(token.content) : token.content;
}

const NO_BYTES = new Uint8Array();

function bytesOfId(
  token: (id: number) => string | undefined,
  tokenBytes: Engine["tokenBytes"],
): TextTokenizer["tokenBytes"] {
  if (tokenBytes === undefined) return undefined;
  return (id) => {
    const written = token(id);
    return written === undefined ? NO_BYTES : tokenBytes(written);
  };
}

function tokenFilter(options: EncodeOptions, specialTokens: ReadonlyMap<string, number>): TokenFilter {
  const { allowedSpecial = [], literalOffsets = NO_OFFSETS, literalAdded = false } = options;
  const allows = specialTokenPredicate(allowedSpecial, specialTokens);
  return (token, locate) => {
    if (!token.special && !literalAdded) return true;
    if (token.special && !allows(token.content)) return false;
    return literalOffsets.size === 0 || !holdsAny(locate(), literalOffsets);
  };
}

const NO_OFFSETS: ReadonlySet<number> = new Set();

function holdsAny({ start, end }: TextRange, offsets: ReadonlySet<number>): boolean {
  for (let offset = start; offset < end; offset += 1) if (offsets.has(offset)) return true;
  return false;
}

function countTokens(engine: Engine, added: readonly AddedToken[]): number {
  return engine.size + added.filter(({ content }) => engine.tokenId(content) === undefined).length;
}
