export type { NamedTokens, TokenPurpose } from "./file-format/tokenizer-config.js";
export { type ResolvedTokenizer, resolveTokenizer } from "./sources/resolve-tokenizer.js";
export { TokenizerRegistry } from "./sources/tokenizer-registry.js";
export type { TokenizerRequest, TokenizerSource } from "./sources/tokenizer-source.js";
export { createTokenizer, type TokenizerFiles } from "./tokenizer/create-tokenizer.js";
export { encodeChunks, type TextChunk } from "./tokenizer/encode-chunks.js";
export { createStreamDecoder, type StreamDecoder } from "./tokenizer/stream-decoder.js";
export {
  type DecodeOptions,
  type EncodeOptions,
  isTextTokenizer,
  type TextDecoding,
  type TextTokenizer,
} from "./tokenizer/text-tokenizer.js";
