import { expect, it } from "vitest";
import { packageFolders, readManifest } from "./package-sources.js";

/** Every address a user may import, e.g. `@tinkex/tokenizer/node`, from the manifests. */
const entries = packageFolders.flatMap((folder) => {
  const { name, exports } = readManifest(folder);
  return Object.keys(exports)
    .filter((path) => path !== "./package.json")
    .map((path) => name + path.slice(1));
});

// A changed list is a decision: accept it with `npm test -- --update` and say why in the changeset.
it.each(entries)("pins what %s exports at run time", async (entry) => {
  const names = Object.keys(await import(entry)).sort();
  await expect(`${names.join("\n")}\n`).toMatchFileSnapshot(
    `exports/${entry.replace("@tinkex/", "").replace("/", "-")}.txt`,
  );
});
