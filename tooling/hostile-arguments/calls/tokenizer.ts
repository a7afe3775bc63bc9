import {
  createStreamDecoder,
  createTokenizer,
  encodeChunks,
  isTextTokenizer,
  resolveTokenizer,
  type TextTokenizer,
  TokenizerRegistry,
} from "@tinkex/tokenizer";
import { applyChatTemplate, PythonFloat, parseChat, parsePythonJson } from "@tinkex/tokenizer/chat-template";
import {
  createTokenizerProvider,
  fromHub,
  fromHuggingFaceCache,
  fromNpmPackage,
  fromTransformers,
  getTokenizer,
  loadTokenizer,
  registerTokenizer,
} from "@tinkex/tokenizer/node";
import { call, type PublicCalls } from "../public-call.js";
import { clock, logger } from "../surroundings.js";

/** A hub that is out of reach. */
const unreachable = () => Promise.reject(new Error("no network"));

/** Functions of `@tinkex/tokenizer`, of its entry for Node and of that for templates; `directory` holds the files of one. */
export function tokenizerCalls(
  tokenizer: TextTokenizer,
  files: () => Parameters<typeof createTokenizer>[0],
  directory: string,
): PublicCalls {
  const request = () => ({ id: "acme/model", modelName: "acme/model" });
  const source = async () => tokenizer;
  return {
    "TokenizerRegistry.register": call(
      (name: string, from: typeof source) => new TokenizerRegistry().register(name, from),
      () => ["acme/model", source],
    ),
    "TokenizerRegistry.find": call(
      (name: string) => new TokenizerRegistry().find(name),
      () => ["acme/model"],
    ),
    "tokenizer.encode": call(
      (text: string, options: Parameters<TextTokenizer["encode"]>[1]) => tokenizer.encode(text, options),
      () => ["hello", { addSpecialTokens: false, allowedSpecial: [] }],
    ),
    "tokenizer.decode": call(
      (ids: number[], options: Parameters<TextTokenizer["decode"]>[1]) => tokenizer.decode(ids, options),
      () => [[1, 2], { skipSpecialTokens: true }],
    ),
    createStreamDecoder: call(createStreamDecoder, () => [tokenizer, { skipSpecialTokens: true }]),
    "streamDecoder.push": call(
      (id: number) => createStreamDecoder(tokenizer).push(id),
      () => [5],
    ),
    createTokenizer: call(createTokenizer, () => [files()]),
    encodeChunks: call(
      (chunks: { text: string; allowedSpecial: string[] }[]) => encodeChunks(tokenizer, chunks),
      () => [[{ text: "hello", allowedSpecial: [] }]],
    ),
    "encodeChunks of a tokenizer": call(encodeChunks, () => [tokenizer, []]),
    isTextTokenizer: call(isTextTokenizer, () => [tokenizer]),
    resolveTokenizer: call(resolveTokenizer, () => ["Qwen/Qwen3-8B", "acme/tokenizer"]),
    PythonFloat: call(
      (value: number) => new PythonFloat(value),
      () => [1],
    ),
    parseChat: call(parseChat, () => ['[{"role": "user", "content": "hello"}]']),
    parsePythonJson: call(parsePythonJson, () => ['{"a": 1.0}']),
    applyChatTemplate: call(applyChatTemplate, () => [
      tokenizer,
      [{ role: "user", content: "hello" }],
      { addGenerationPrompt: true, continueFinalMessage: false, tools: [], variables: {} },
    ]),
    createTokenizerProvider: call(createTokenizerProvider, () => [{}]),
    fromHub: call(fromHub, () => [
      {
        cacheDirectory: directory,
        endpoint: "http://127.0.0.1:9",
        offline: true,
        clock,
        logger,
      },
    ]),
    "a source of fromHub": call(
      (asked: { id: string; modelName: string }) => fromHub({ offline: false, fetch: unreachable })(asked),
      () => [request()],
    ),
    fromHuggingFaceCache: call(fromHuggingFaceCache, () => [{}]),
    fromNpmPackage: call(fromNpmPackage, () => ["@acme/tokenizer", { from: directory }]),
    fromTransformers: call(fromTransformers, () => []),
    getTokenizer: call(getTokenizer, () => [
      "acme/model",
      { tokenizerId: "acme/model", revision: "main", source },
    ]),
    loadTokenizer: call(loadTokenizer, () => [directory]),
    registerTokenizer: call(registerTokenizer, () => ["acme/registered", source]),
  };
}
