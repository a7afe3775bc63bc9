import { type AddedToken, readAddedToken } from "./tokenizer-json.js";

/** The tokens that a tokenizer's config names by their purpose, as they are written, e.g. `eos: "<|im_end|>"`. */
export type NamedTokens = Readonly<Partial<Record<TokenPurpose, string>>>;

/** Purpose of a named token: begin and end of a text, padding, unknown text, and the roles of older model families. */
export type TokenPurpose = (typeof TOKEN_PURPOSES)[number];

/** The purposes in the order in which transformers adds their tokens. */
export const TOKEN_PURPOSES = ["bos", "eos", "unk", "sep", "pad", "cls", "mask"] as const;

/** Reads `bos_token`, `eos_token` and so on; each is a string or an object with `content`. */
export function namedTokens(config: Readonly<Record<string, unknown>>): NamedTokens {
  const named: Partial<Record<TokenPurpose, string>> = {};
  for (const purpose of TOKEN_PURPOSES) {
    const value = config[`${purpose}_token`];
    const content = typeof value === "object" && value !== null && "content" in value ? value.content : value;
    if (typeof content === "string") named[purpose] = content;
  }
  return named;
}

/** Reads tokens, each a string, which is a special one, or an object with `content` and flags; what is neither is left out. */
export function readTokens(values: readonly unknown[]): Omit<AddedToken, "id">[] {
  return values.flatMap((value) => {
    const token = typeof value === "string" ? { content: value, special: true } : value;
    return readAddedToken(token) ?? [];
  });
}

/**
 * The chat templates of a config by name. A single one is called `default`; `chat_template` may also be a list of
 * `{name, template}` or an object of templates. Anything else is taken for no template.
 */
export function chatTemplates(config: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const value = config.chat_template;
  if (typeof value === "string") return new Map([["default", value]]);
  if (typeof value !== "object" || value === null) return new Map();
  const entries: (readonly [unknown, unknown])[] = Array.isArray(value)
    ? value.map((entry: unknown) => namedTemplate(entry))
    : Object.entries(value);
  return new Map(
    entries.filter((entry): entry is [string, string] => entry.every((part) => typeof part === "string")),
  );
}

function namedTemplate(entry: unknown): readonly [unknown, unknown] {
  if (typeof entry !== "object" || entry === null) return [undefined, undefined];
  return ["name" in entry ? entry.name : undefined, "template" in entry ? entry.template : undefined];
}
