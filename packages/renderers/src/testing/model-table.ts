import { resolveTokenizer } from "@tinkex/tokenizer";
import { builtInRenderers } from "../registry/built-in-renderers.js";
import { modelRenderers } from "../registry/model-renderers.js";

/** The table of docs/renderers.md: a row for each model that the registry knows. */
export function modelTable(): string {
  const rows = Object.entries(modelRenderers).map(([model, names]) => {
    const renderers = names.map(
      (name) => `\`${name}\`${Object.hasOwn(builtInRenderers, name) ? "" : " (not here)"}`,
    );
    return `| \`${model}\` | ${renderers.join(", ")} | ${tokenizerSource(model)} |`;
  });
  return [
    "| model | renderers, the recommended one first | tokenizer |",
    "| --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function tokenizerSource(model: string): string {
  if (model.startsWith("tinkex/")) return "comes with `@tinkex/local`";
  const { id, family } = resolveTokenizer(model);
  if (family !== undefined) return "in no public repository: register one";
  return id === model ? "hub" : `hub, as \`${id}\``;
}
