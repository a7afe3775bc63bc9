export { loadTokenizer } from "./files/load-tokenizer.js";
export { type FromHubOptions, fromHub } from "./hub/from-hub.js";
export { fromHuggingFaceCache } from "./hub/from-hugging-face-cache.js";
export type { HubOptions } from "./hub/hub-settings.js";
export {
  createTokenizerProvider,
  type GetTokenizerOptions,
  type TokenizerProvider,
  type TokenizerProviderOptions,
} from "./providers/create-tokenizer-provider.js";
export { getTokenizer, registeredTokenizers, registerTokenizer } from "./providers/get-tokenizer.js";
export { fromNpmPackage } from "./sources/from-npm-package.js";
export { fromTransformers, type TransformersModule } from "./sources/from-transformers.js";
