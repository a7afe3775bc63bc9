import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
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

const WRONG = join(FOLDER, "wrong.ts");
const WRONG_CODE =
  'import { toNumbers } from "@tinkex/tensor";\n\ntoNumbers("three");\nconst list: number[] = [];\nlist[0].toFixed();\n';

describe("programs shown in the documentation", { timeout: 120_000 }, () => {
  let errors: readonly string[];
  // One program, as each would read the declarations of everything anew.
  beforeAll(() => {
    const shown = snippets.map((snippet) => [fileOf(snippet, FOLDER), snippet.code] as const);
    errors = typeErrors(new Map([...shown, [WRONG, WRONG_CODE]]));
  }, 120_000);

  const isOfWrong = (error: string): boolean => error.startsWith(`${WRONG}(`);

  it("compile, with unchecked indices an error", () => {
    const found = errors.filter((error) => !isOfWrong(error));
    expect(found.map((error) => error.replace(`${FOLDER}/`, ""))).toEqual([]);
  });

  it("are looked at by the compiler, as one that is wrong shows", () => {
    expect(errors.filter(isOfWrong)).toEqual([
      `${WRONG}(3): Argument of type 'string' is not assignable to parameter of type 'TensorData'.`,
      `${WRONG}(5): Object is possibly 'undefined'.`,
    ]);
  });
});
