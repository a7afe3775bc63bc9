// Loads a tokenizer through the optional package as a program does, and prints what becomes of it.
import { TinkexError } from "@tinkex/base";
import { fromTransformers } from "../sources/from-transformers.js";

try {
  console.log((await fromTransformers()({ id: "org/model" }))?.vocabularySize);
} catch (error) {
  console.log(TinkexError.isInstance(error) ? `${error.code}: ${error.message}` : error);
}
