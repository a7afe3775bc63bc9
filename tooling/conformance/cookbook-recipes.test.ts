import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalServer, startLocalServer } from "@tinkex/local";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPython, PYTHON_SDKS } from "./python-sdk.js";
import { writeHubDatasets } from "./recipes/hub-datasets.js";
import { RECIPES } from "./recipes/recipes.js";
import { runRecipe } from "./recipes/run-recipe.js";

/** Some minutes of two cores: runs with TINKEX_COOKBOOK_RECIPES=1, or with the beginning of a recipe's name. */
const wanted = process.env.TINKEX_COOKBOOK_RECIPES;
const chosen = RECIPES.filter(
  ({ name }) => wanted === "1" || (wanted !== undefined && name.startsWith(wanted)),
);

describe.skipIf(wanted === undefined)(
  "programs of tinker-cookbook, unmodified, with their default losses",
  () => {
    let server: LocalServer | undefined;
    let folder = "";
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "recipes-"));
      writeHubDatasets(folder);
      server = await startLocalServer({ standIn: true });
    });
    afterAll(async () => {
      await server?.close();
      await rm(folder, { recursive: true });
    });

    it.each(chosen)("$name runs to its end", { timeout: 660_000 }, async (recipe) => {
      const [sdk] = PYTHON_SDKS;
      const found = sdk === undefined ? { missing: "no SDK" } : await findPython(sdk, process.env);
      if ("missing" in found) throw new Error(found.missing);
      const started = performance.now();
      const metrics = await runRecipe(recipe, { python: found.python, url: server?.url ?? "", folder });
      const values = metrics.map((line) => line[recipe.metric]).filter((value) => value !== undefined);
      const seconds = Math.round((performance.now() - started) / 1000);
      console.info(`${recipe.name}: ${recipe.metric} ${values.join(" → ")}; ${seconds} s`);
      expect(values.length).toBeGreaterThanOrEqual(recipe.steps);
      for (const value of values) expect(value).toSatisfy(Number.isFinite);
    });
  },
);
