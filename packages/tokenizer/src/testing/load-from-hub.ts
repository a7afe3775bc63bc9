// Loads a tokenizer as a process of its own: endpoint, cache directory, id. Prints how many tokens it has.
import { fromHub } from "../hub/from-hub.js";

const [endpoint = "", cacheDirectory = "", id = ""] = process.argv.slice(2);
const tokenizer = await fromHub({ endpoint, cacheDirectory, env: {} })({ id });
console.log(tokenizer?.vocabularySize);
