import { expect, it } from "vitest";
import { packageFolders } from "./package-sources.js";

/** Entries beside the main one. */
const FURTHER_ENTRIES: Readonly<Record<string, readonly string[]>> = {
  tokenizer: ["chat-template", "node"],
  wire: ["proto"],
};

const entries = packageFolders.flatMap((folder) => [
  `@tinkex/${folder}`,
  ...(FURTHER_ENTRIES[folder] ?? []).map((entry) => `@tinkex/${folder}/${entry}`),
]);

// A changed list is a decision: accept it with `npm test -- --update` and say why in the changeset.
it.each(entries)("pins what %s exports at run time", async (entry) => {
  const names = Object.keys(await import(entry)).sort();
  await expect(`${names.join("\n")}\n`).toMatchFileSnapshot(
    `exports/${entry.replace("@tinkex/", "").replace("/", "-")}.txt`,
  );
});
