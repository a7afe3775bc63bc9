import { createHash } from "node:crypto";
import { type Json, type JsonObject, writePythonJson } from "../lines/python-json.js";

/** Stands in place of a secret. */
const HIDDEN = "[hidden]";

/** Names of secrets, in `snake_case`: every string below such a field is hidden. */
const SECRET_NAME =
  /(?:^|_)(?:apikey|(?:api|access|auth|bearer|hf|hub|personal|private|refresh|secret|session|signing|wandb)_(?:key|token)|secret|password|authorization|credential)s?$|^tokens?$/;

/** Names of secrets and of columns, tokens of a vocabulary and the like, of which only what looks like a secret is hidden. */
const DOUBTFUL_NAME = /(?:^|_)(?:key|token)s?$/;

/** A word as long as a secret, with a digit: not `<|im_end|>`, and not the name of a column. */
const SECRET_LOOK = /^(?=[^0-9]{0,200}[0-9])[A-Za-z0-9_.+/=:-]{16,}$/;

/** A key of Tinker wherever it stands in a string. */
const TINKER_KEY = /tml-[A-Za-z0-9_.-]+/g;

/** User and password of an address. */
const USER_INFO = /:\/\/[^/?#@\s]+@/g;

/**
 * Copies a configuration without what must not be written: what stands below fields whose name says that they hold a secret (`apiKey`,
 * `hub_token`), keys of Tinker in strings, and passwords in addresses.
 */
export function withoutSecrets(config: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, shown(value, hiderOf(name))]),
  );
}

/** Writes a string without its secrets. */
type Hider = (text: string) => string;

function hiderOf(name: string): Hider {
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
  if (SECRET_NAME.test(snake)) return hideAll;
  if (DOUBTFUL_NAME.test(snake)) return (text) => (SECRET_LOOK.test(text) ? HIDDEN : plain(text));
  return plain;
}

function hideAll(): string {
  return HIDDEN;
}

function plain(text: string): string {
  return text.replace(TINKER_KEY, HIDDEN).replace(USER_INFO, `://${HIDDEN}@`);
}

/** Numbers and switches are no secrets: `max_tokens` ends as a secret's name does. */
function shown(value: Json | undefined, hide: Hider): Json | undefined {
  if (typeof value === "string") return hide(value);
  if (isList(value)) return value.map((item) => shown(item, hide) ?? null);
  if (!isObject(value)) return value;
  // A secret by the name above it stays one, whatever its own name is.
  return Object.fromEntries(
    Object.entries(value).map(([name, below]) => [
      name,
      shown(below, hide === hideAll ? hide : hiderOf(name)),
    ]),
  );
}

/** Hash of a configuration, the same whatever the order of its fields. */
export function configHash(config: JsonObject): string {
  return createHash("sha256")
    .update(writePythonJson(sorted(config)))
    .digest("hex");
}

function sorted(value: Json | undefined): Json | undefined {
  if (isList(value)) return value.map((item) => sorted(item) ?? null);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** Names the fields in which two configurations differ, with both values: `learning_rate (0.001, now 0.01)`. */
export function differingKeys(before: JsonObject, now: JsonObject, place = ""): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    const [old, fresh] = [before[name], now[name]];
    if (isObject(old) && isObject(fresh)) return differingKeys(old, fresh, `${place}${name}.`);
    const [was, is] = [old, fresh].map((value) => describe(value));
    return was === is ? [] : [`${place}${name} (${was}, now ${is})`];
  });
}

const MAX_SHOWN_CHARACTERS = 80;

function describe(value: Json | undefined): string {
  if (value === undefined) return "not set";
  const text = writePythonJson(sorted(value));
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
