import { checkFunction, describeValue, type Logger, ValidationError } from "@tinkex/base";
import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";
import type { Renderer, RendererReference } from "../renderer/renderer.js";

/** Makes a renderer under a name of a program's own. */
export type RendererFactory = (context: {
  readonly tokenizer: RendererTokenizer;
  /** Name, model and options that were asked for; the renderer's `toJSON` gives them back. */
  readonly reference: RendererReference;
  /** Logger that wants to be warned, if any. */
  readonly logger: Pick<Logger, "warn"> | undefined;
}) => Renderer;

const factories = new Map<string, RendererFactory>();

/**
 * Lets `getRenderer` know a renderer of your own, in this process.
 *
 * @param name - with a slash, such as `Acme/chat`, so that it is never taken for one of this package
 * @returns A function that takes it out again.
 * @throws ValidationError when the name has no slash, or is taken
 */
export function registerRenderer(name: string, factory: RendererFactory): () => void {
  if (typeof name !== "string" || !/^[^/]+\/.+$/.test(name)) {
    throw new ValidationError(
      `registerRenderer: name must have an owner, such as "Acme/chat", got ${describeValue(name)}`,
      { path: ["name"] },
    );
  }
  if (factories.has(name)) {
    throw new ValidationError(
      `registerRenderer: a renderer ${JSON.stringify(name)} is registered already; take it out with the function that registering gave, or choose another name`,
      { path: ["name"] },
    );
  }
  checkFunction(factory, "registerRenderer: factory");
  factories.set(name, factory);
  return () => {
    if (factories.get(name) === factory) factories.delete(name);
  };
}

export function registeredRenderer(name: string): RendererFactory | undefined {
  return factories.get(name);
}

export function registeredRendererNames(): readonly string[] {
  return [...factories.keys()];
}
