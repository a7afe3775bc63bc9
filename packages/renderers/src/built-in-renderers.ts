import { roleColonLayout } from "./families/role-colon.js";
import type { Layout } from "./layout.js";
import type { RendererTokenizer } from "./renderer-tokenizer.js";

/** No options. */
export type NoOptions = Readonly<Record<never, never>>;

/** Makes the layout that a name stands for. Its options are what `getRenderer` takes with that name. */
type LayoutFactory = (tokenizer: RendererTokenizer, options: never) => Layout;

/** The layouts by the names under which configurations and checkpoints know them. */
export const builtInRenderers = {
  role_colon: (tokenizer: RendererTokenizer, _options: NoOptions) => roleColonLayout(tokenizer),
} satisfies Record<string, LayoutFactory>;
