import { checkString, ValidationError } from "@tinkex/base";

/** The tokenizer that belongs to a model. */
export interface ResolvedTokenizer {
  /** A repository of the Hugging Face hub, `org/name`. */
  readonly id: string;
  /** The commit to take; the newest where there is none. */
  readonly revision?: string;
  /** True where the tokenizer is Python code in no public repository, so that a source must be registered. */
  readonly needsRemoteCode: boolean;
  /** The owner of a tokenizer that is not on the hub at all. */
  readonly family?: "tml";
}

/** Llama 3's own repositories ask for a login; this one holds the same tokenizer and does not. */
const UNGATED_LLAMA_3 = "thinkingmachineslabinc/meta-llama-3-instruct-tokenizer";

/** Tokenizers for which Python runs code of the repository, with the commits that the Python SDK (0.38.0) trusts. */
const PINNED: Readonly<Record<string, { readonly id: string; readonly revision: string }>> = {
  "moonshotai/Kimi-K2-Thinking": {
    id: "moonshotai/Kimi-K2-Thinking",
    revision: "612681931a8c906ddb349f8ad0f582cb552189cd",
  },
  "moonshotai/Kimi-K2.5": {
    id: "moonshotai/Kimi-K2.5",
    revision: "4d01dfe0332d63057c186e0b262165819efb6611",
  },
  "moonshotai/Kimi-K2.5-Text-Only": {
    id: "moonshotai/Kimi-K2.5",
    revision: "4d01dfe0332d63057c186e0b262165819efb6611",
  },
  "moonshotai/Kimi-K2.6": {
    id: "moonshotai/Kimi-K2.6",
    revision: "b5aabbfb20227ed42becbf5541dbffd213942c58",
  },
  "moonshotai/Kimi-K3": { id: "moonshotai/Kimi-K3", revision: "f831ab66814297da540d832a5235f8e904f29d06" },
};

/** Prefixes of ids whose tokenizers come in a Python package of their own. */
const TML_PREFIXES = ["TML/", "thinkingmachines/"];

/**
 * Finds the tokenizer of a model by the rules of the Python SDK. What follows a colon in a model name
 * (`:peft:131072`) and a third segment (`org/name/variant`) are variants of a model and do not change its tokenizer.
 *
 * @param modelName - a name as the service gives it, e.g. `Qwen/Qwen3-8B`
 * @param tokenizerId - the tokenizer that the service names for the model; it is taken as it is
 * @throws ValidationError when a name is empty.
 */
export function resolveTokenizer(modelName: string, tokenizerId?: string | null): ResolvedTokenizer {
  checkString(modelName, "modelName", "Qwen/Qwen3-8B");
  if (tokenizerId !== undefined && tokenizerId !== null)
    checkString(tokenizerId, "tokenizerId", "Qwen/Qwen3-8B");
  if (tokenizerId === "") {
    throw new ValidationError(
      "tokenizerId must not be empty; leave it out to have the tokenizer found by the model name",
      {
        path: ["tokenizerId"],
      },
    );
  }
  const id = tokenizerId ?? idOfModel(modelName);
  if (id === "") {
    throw new ValidationError(`there is no tokenizer for the model name ${JSON.stringify(modelName)}`, {
      path: ["modelName"],
    });
  }
  if (TML_PREFIXES.some((prefix) => id.startsWith(prefix)))
    return { id, needsRemoteCode: true, family: "tml" };
  const pinned = Object.hasOwn(PINNED, id) ? PINNED[id] : undefined;
  return { ...(pinned ?? { id }), needsRemoteCode: false };
}

function idOfModel(modelName: string): string {
  const [base = ""] = modelName.split(":");
  if (base.startsWith("meta-llama/Llama-3")) return UNGATED_LLAMA_3;
  const segments = base.split("/");
  return segments.length === 3 ? segments.slice(0, 2).join("/") : base;
}
