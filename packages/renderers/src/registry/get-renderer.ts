import { checkObject, checkString, describeValue, nearestName, ValidationError } from "@tinkex/base";
import { createLayoutRenderer, type LayoutRendererOptions } from "../layout/layout-renderer.js";
import { checkTokenizer, type RendererTokenizer } from "../pieces/renderer-tokenizer.js";
import type { Renderer, RendererReference } from "../renderer/renderer.js";
import { builtInRenderers, type LayoutFactory } from "./built-in-renderers.js";
import { registeredRenderer, registeredRendererNames } from "./register-renderer.js";

/** A name of this package's own. Which of them keep tokens spelled out by people as text is said by {@link getRenderer}. */
export type BuiltInRendererName = keyof typeof builtInRenderers;

/** A name that a program registered, such as `Acme/chat`. */
export type RegisteredRendererName = `${string}/${string}`;

export type RendererName = BuiltInRendererName | RegisteredRendererName;

/** The options of the renderer with this name. */
export type RendererOptions<Name extends RendererName> = (Name extends BuiltInRendererName
  ? Parameters<(typeof builtInRenderers)[Name]>[1]
  : Readonly<Record<string, unknown>>) & {
  /** The model it is for; kept with the renderer's name. */
  readonly model?: string;
} & LayoutRendererOptions;

/**
 * The renderer with this name.
 *
 * Tokens that a conversation spells out (`<|im_end|>`) become tokens, as in the models' own software, in contents, results, names, ids,
 * arguments, declarations of tools and prefills. The renderers `qwen3`, `qwen3_disable_thinking`, `qwen3_instruct` and
 * `qwen3_keep_thinking` keep special ones as text, but for those in a prefill. Roles are refused where they are more than a name. With
 * the option `literalText` all of it stays text in every renderer; what it cannot help is a layout of text, `role_colon`.
 *
 * @example const renderer = getRenderer("qwen3", tokenizer);
 * @throws ValidationError when nobody knows the name, or the tokenizer lacks the family's special tokens
 */
export function getRenderer<Name extends RendererName>(
  name: Name,
  tokenizer: RendererTokenizer,
  options: RendererOptions<Name> = {} as RendererOptions<Name>,
): Renderer {
  checkObject(options, "the options of getRenderer");
  const { model, logger, ...own } = options;
  const reference = { name, ...(model !== undefined && { model }), options: own };
  return rendererFromReference(reference, tokenizer, { logger });
}

/**
 * The renderer that `JSON.stringify(renderer)` described, in another worker or process.
 *
 * @throws ValidationError as {@link getRenderer} does
 */
export function rendererFromReference(
  reference: RendererReference,
  tokenizer: RendererTokenizer,
  { logger }: Pick<LayoutRendererOptions, "logger"> = {},
): Renderer {
  checkObject(reference, "rendererFromReference: reference", '{ name: "qwen3" }');
  const { name, model, options = {} } = reference;
  checkString(name, "getRenderer: name", "qwen3");
  checkTokenizer(tokenizer);
  checkObject(options, "reference.options");
  const { literalText = false, ...layoutOptions } = options;
  if (typeof literalText !== "boolean") {
    throw new ValidationError(
      `the option literalText must be true or false, got ${describeValue(literalText)}`,
      { path: ["options", "literalText"] },
    );
  }
  const written: RendererReference = {
    name,
    ...(model !== undefined && { model }),
    ...jsonOptions(options),
  };
  if (Object.hasOwn(builtInRenderers, name)) {
    // The name decides which options there are; getRenderer has the compiler check them.
    const makeLayout = builtInRenderers[name as BuiltInRendererName] as LayoutFactory<
      Readonly<Record<string, unknown>>
    >;
    const layout = makeLayout(tokenizer, layoutOptions);
    return createLayoutRenderer(layout, tokenizer, written, { logger, literalText });
  }
  const factory = registeredRenderer(name);
  if (factory !== undefined) return factory({ tokenizer, reference, logger });
  const known = [...Object.keys(builtInRenderers), ...registeredRendererNames()];
  const meant = nearestName(name, known);
  const remedy =
    meant === undefined ? `names are ${known.join(", ")}` : `did you mean ${JSON.stringify(meant)}?`;
  throw new ValidationError(
    `getRenderer: there is no renderer ${JSON.stringify(name)}; ${remedy} (names of your own, such as "Acme/chat", come from registerRenderer, those of a model's from rendererNameFor)`,
    { path: ["name"] },
  );
}

/** The options that another process can be told: not those that do something, such as a clock. */
function jsonOptions(options: Readonly<Record<string, unknown>>): Pick<RendererReference, "options"> {
  const told = Object.entries(options).filter(([, value]) =>
    ["string", "number", "boolean"].includes(typeof value),
  );
  return told.length === 0 ? {} : { options: Object.fromEntries(told) };
}
