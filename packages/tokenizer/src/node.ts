export {
  createTokenizerProvider,
  type GetTokenizerOptions,
  type TokenizerProvider,
  type TokenizerProviderOptions,
} from "./create-tokenizer-provider.js";
export { fromNpmPackage } from "./from-npm-package.js";
export { fromTransformers, type TransformersModule } from "./from-transformers.js";
export { getTokenizer, registerTokenizer } from "./get-tokenizer.js";
export { type FromHubOptions, fromHub } from "./hub/from-hub.js";
export { fromHuggingFaceCache } from "./hub/from-hugging-face-cache.js";
export type { HubOptions } from "./hub/hub-settings.js";
export { loadTokenizer } from "./load-tokenizer.js";
