export { loadTokenizer } from "./load-tokenizer.js";
