export { createTokenizer, type TokenizerFiles } from "./create-tokenizer.js";
export { encodeChunks, type TextChunk } from "./encode-chunks.js";
export { type ResolvedTokenizer, resolveTokenizer } from "./resolve-tokenizer.js";
export { createStreamDecoder, type StreamDecoder } from "./stream-decoder.js";
export {
  type DecodeOptions,
  type EncodeOptions,
  isTextTokenizer,
  type TextTokenizer,
} from "./text-tokenizer.js";
export type { NamedTokens, TokenPurpose } from "./tokenizer-config.js";
export { TokenizerRegistry } from "./tokenizer-registry.js";
export type { TokenizerRequest, TokenizerSource } from "./tokenizer-source.js";
