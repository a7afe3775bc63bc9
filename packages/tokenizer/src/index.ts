export { createTokenizer, type TokenizerFiles } from "./create-tokenizer.js";
export type { DecodeOptions, EncodeOptions, TextTokenizer } from "./text-tokenizer.js";
