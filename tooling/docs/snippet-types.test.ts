import { join } from "node:path";
import { expect, it } from "vitest";
import { fileOf, snippetsOf } from "./snippets.js";
import { typeErrors } from "./type-errors.js";

/** Never written: the compiler reads the text, and resolves imports as from there. */
const FOLDER = join(import.meta.dirname, ".typed-snippets");

const snippets = [
  "README.md",
  "docs/environments.md",
  "docs/guides.md",
  "docs/observability.md",
  "docs/recipes.md",
  "docs/renderers.md",
  "docs/retries.md",
  "docs/runs.md",
  "docs/security.md",
  "docs/tensors.md",
  "docs/tokenizers.md",
  "packages/client/README.md",
  "packages/http/README.md",
  "packages/local/README.md",
  "packages/recipes/README.md",
  "packages/renderers/README.md",
  "packages/runs/README.md",
  "packages/telemetry/README.md",
  "packages/tensor/README.md",
  "packages/tinkex/README.md",
  "packages/tokenizer/README.md",
  "packages/types/README.md",
  "packages/wire/README.md",
]
  .flatMap(snippetsOf)
  .filter(({ language }) => language === "ts");

it("programs shown in the documentation compile, with unchecked indices an error", {
  timeout: 120_000,
}, () => {
  const errors = typeErrors(new Map(snippets.map((snippet) => [fileOf(snippet, FOLDER), snippet.code])));
  expect(errors.map((error) => error.replace(`${FOLDER}/`, ""))).toEqual([]);
});

it("the compiler does look at them", { timeout: 120_000 }, () => {
  const file = join(FOLDER, "wrong.ts");
  const code =
    'import { toNumbers } from "@tinkex/tensor";\n\ntoNumbers("three");\nconst list: number[] = [];\nlist[0].toFixed();\n';
  expect(typeErrors(new Map([[file, code]]))).toEqual([
    `${file}(3): Argument of type 'string' is not assignable to parameter of type 'TensorData'.`,
    `${file}(5): Object is possibly 'undefined'.`,
  ]);
});
