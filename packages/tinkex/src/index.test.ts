import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { exportedNames, indexSource } from "../index-source.js";

const packages = new URL("../../", import.meta.url);

it("exports every name of the client, renderers, tokenizers, tensors and records", () => {
  const wanted = exportedNames(indexSource((path) => readFileSync(new URL(path, packages), "utf8")));
  const actual = exportedNames(readFileSync(new URL("index.ts", import.meta.url), "utf8"));
  const sorted = (names: typeof wanted) => names.map(({ name, isType }) => `${name} ${isType}`).sort();
  expect(sorted(actual)).toEqual(sorted(wanted));
});

it("has the same classes as the packages it stands for", async () => {
  const tinkex = await import("./index.js");
  const [client, types] = await Promise.all([import("@tinkex/client"), import("@tinkex/types")]);
  expect(tinkex.ServiceClient).toBe(client.ServiceClient);
  expect(tinkex.ValidationError).toBe(types.ValidationError);
  expect(tinkex.getRenderer).toBeTypeOf("function");
  expect(tinkex.getTokenizer).toBeTypeOf("function");
});
