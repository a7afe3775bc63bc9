import { holdsInt32, ValidationError } from "@tinkex/base";
import {
  checkSent,
  type EncodedTextChunk,
  ModelInput,
  type ModelInputChunk,
  modelInputSchema,
  type TokenIds,
  type TokenSource,
} from "@tinkex/types";

/**
 * Makes a record of a prompt or training input; plain tokens become one chunk of text.
 *
 * @param what - the place as the caller knows it, e.g. `data[3].model_input`
 * @throws ValidationError
 */
export function toModelInput(input: ModelInput | TokenSource, what: string): ModelInput {
  if (typeof input === "string") {
    throw new ValidationError(
      `${what} is a string: encode it first, e.g. (await client.getTokenizer()).encode(text)`,
      { path: [what] },
    );
  }
  if (input === undefined || input === null) {
    throw new ValidationError(`${what} is missing: give token ids, e.g. [1, 2, 3], or a ModelInput`, {
      path: [what],
    });
  }
  if (areTokenIds(input)) return { chunks: [{ tokens: input, type: "encoded_text" }] };
  const record = typeof input === "object" && "chunks" in input ? input : inputOfTokens(input, what);
  return copyOfText(record) ?? checkSent(modelInputSchema, record, what);
}

/** Reads tokens in any other form. @throws ValidationError that names the caller's place in that of the function used here */
function inputOfTokens(tokens: TokenSource, what: string): ModelInput {
  try {
    return ModelInput.fromInts(tokens);
  } catch (cause) {
    if (!(cause instanceof ValidationError)) throw cause;
    throw new ValidationError(cause.message.replace("ModelInput.fromInts: tokens", what), {
      path: [what],
      cause,
    });
  }
}

/**
 * Copies an input that holds nothing but runs of token ids, which needs no schema: that one takes twenty times as long, and most
 * inputs are of this kind. `undefined` for every other, also one that is wrong, about which the schema has the words.
 */
function copyOfText(input: ModelInput): ModelInput | undefined {
  if (!hasFieldsAmong(input, INPUT_FIELDS) || !Array.isArray(input.chunks)) return undefined;
  // As long as what is given: a list that grows begins with room for 17.
  const chunks: ModelInputChunk[] = [...input.chunks];
  for (let index = 0; index < chunks.length; index += 1) {
    const copy = copyOfChunk(chunks[index]);
    if (copy === undefined) return undefined;
    chunks[index] = copy;
  }
  return { chunks };
}

/** Copies a run of token ids; `undefined` for every other chunk, also one that is wrong. */
function copyOfChunk(chunk: ModelInputChunk | undefined): ModelInputChunk | undefined {
  if (typeof chunk !== "object" || chunk === null || !hasFieldsAmong(chunk, TEXT_FIELDS)) return undefined;
  const { type, tokens } = chunk as Partial<EncodedTextChunk>;
  if ((type !== undefined && type !== "encoded_text") || !areTokenIds(tokens)) return undefined;
  return type === undefined ? { tokens } : { tokens, type };
}

const INPUT_FIELDS: Readonly<Record<keyof ModelInput, true>> = { chunks: true };
const TEXT_FIELDS: Readonly<Record<keyof EncodedTextChunk, true>> = { tokens: true, type: true };

/** Tells whether an object has no other fields than these, prototypes included. */
function hasFieldsAmong(value: object, known: Readonly<Record<string, true>>): boolean {
  for (const name in value) if (!Object.hasOwn(known, name)) return false;
  return true;
}

function areTokenIds(tokens: unknown): tokens is TokenIds {
  // An empty array may be one whose memory is gone.
  if (tokens instanceof Int32Array) return tokens.length > 0;
  return Array.isArray(tokens) && holdsInt32(tokens);
}

/** Estimated bytes of a prompt in a JSON body: 10 a token. */
export function promptBytes(prompt: ModelInput): number {
  let bytes = 0;
  for (const chunk of prompt.chunks) bytes += chunkBytes(chunk, 10);
  return bytes;
}

/** Estimated bytes of one chunk of a prompt, at `tokenBytes` a token. */
export function chunkBytes(chunk: ModelInputChunk, tokenBytes: number): number {
  if ("tokens" in chunk) return chunk.tokens.length * tokenBytes;
  if ("dmel" in chunk) return chunk.dmel.length;
  return "location" in chunk ? chunk.location.length : chunk.data.length;
}

/** Tokens of one chunk. An image counts those it declares. */
export function chunkLength(chunk: ModelInputChunk): number {
  if ("tokens" in chunk) return chunk.tokens.length;
  return "expected_tokens" in chunk ? (chunk.expected_tokens ?? 0) : 0;
}
