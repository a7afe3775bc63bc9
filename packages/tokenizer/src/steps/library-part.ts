import { Tokenizer as EngineTokenizer } from "@huggingface/tokenizers";
import { ValidationError } from "@tinkex/base";

/** The section of a tokenizer.json that the library runs. */
type SectionName = "post_processor";

/** The model that the library is given where only another section is wanted. */
const NO_PAIRS = { type: "BPE", vocab: {}, merges: [] };
const EMPTY = { model: NO_PAIRS, normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null };

/**
 * Has `@huggingface/tokenizers` build some sections of a tokenizer.json.
 * @throws ValidationError when the library does not know a part.
 */
export function buildWithLibrary(sections: Readonly<Partial<Record<SectionName, object>>>): EngineTokenizer {
  // Without added tokens: the library would look for them itself, and would mix them into the model's vocabulary.
  return runWithLibrary(() => new EngineTokenizer({ ...EMPTY, ...sections, added_tokens: [] }, {}));
}

/** Does work with the library, which throws errors of all kinds for what it does not know. */
export function runWithLibrary<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ValidationError(
      `@huggingface/tokenizers cannot run this tokenizer.json: ${reason}; register a source that gives your own tokenizer for it`,
      { cause },
    );
  }
}

/** Gives what the library made of a part, or an error by its name: the types say that any may be null. */
export function made<T>(part: T | null, section: SectionName): T {
  if (part !== null) return part;
  throw new ValidationError(`a part of the ${section} of this tokenizer.json must be an object, got null`);
}
