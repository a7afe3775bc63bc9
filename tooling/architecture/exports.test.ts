import { expect, it } from "vitest";
import { packageEntries, pinOf } from "./package-sources.js";

// A changed list is a decision: accept it with `npm test -- --update` and say why in the changeset.
it.each(packageEntries)("pins what %s exports at run time", async (entry) => {
  const names = Object.keys(await import(entry)).sort();
  await expect(`${names.join("\n")}\n`).toMatchFileSnapshot(pinOf(entry));
});
