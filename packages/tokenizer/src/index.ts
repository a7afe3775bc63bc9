export { createTokenizer, type TokenizerFiles } from "./create-tokenizer.js";
export { encodeChunks, type TextChunk } from "./encode-chunks.js";
export { createStreamDecoder, type StreamDecoder } from "./stream-decoder.js";
export type { DecodeOptions, EncodeOptions, TextTokenizer } from "./text-tokenizer.js";
