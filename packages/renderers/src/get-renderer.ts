import { ValidationError } from "@tinkex/types/base";
import { builtInRenderers } from "./built-in-renderers.js";
import { createLayoutRenderer } from "./layout-renderer.js";
import { nearestNames } from "./nearest-names.js";
import { registeredRenderer, registeredRendererNames } from "./register-renderer.js";
import type { Renderer, RendererReference } from "./renderer.js";
import type { RendererTokenizer } from "./renderer-tokenizer.js";

/** A name of this package's own. */
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
};

/**
 * The renderer with this name.
 *
 * @example const renderer = getRenderer("qwen3", tokenizer);
 * @throws ValidationError when nobody knows the name, or the tokenizer lacks the family's special tokens
 */
export function getRenderer<Name extends RendererName>(
  name: Name,
  tokenizer: RendererTokenizer,
  options: RendererOptions<Name> = {} as RendererOptions<Name>,
): Renderer {
  const { model, ...own } = options;
  return rendererFromReference({ name, ...(model !== undefined && { model }), options: own }, tokenizer);
}

/**
 * The renderer that `JSON.stringify(renderer)` described, in another worker or process.
 *
 * @throws ValidationError as {@link getRenderer} does
 */
export function rendererFromReference(reference: RendererReference, tokenizer: RendererTokenizer): Renderer {
  const { name, model, options = {} } = reference;
  const kept: RendererReference = {
    name,
    ...(model !== undefined && { model }),
    ...(Object.keys(options).length > 0 && { options }),
  };
  if (Object.hasOwn(builtInRenderers, name)) {
    // The name decides which options there are; getRenderer has the compiler check them.
    const factory = builtInRenderers[name as BuiltInRendererName] as (
      tokenizer: RendererTokenizer,
      options: Readonly<Record<string, unknown>>,
    ) => ReturnType<(typeof builtInRenderers)[BuiltInRendererName]>;
    return createLayoutRenderer(factory(tokenizer, options), tokenizer, kept);
  }
  const factory = registeredRenderer(name);
  if (factory !== undefined) return factory({ tokenizer, reference: kept });
  const near = nearestNames(name, [...Object.keys(builtInRenderers), ...registeredRendererNames()]);
  throw new ValidationError(
    `There is no renderer ${JSON.stringify(name)}. Nearest: ${near.join(", ")}. Names of your own, such as "Acme/chat", come from registerRenderer.`,
    { path: ["name"] },
  );
}
