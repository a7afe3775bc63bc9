import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { recordDescriptions, recordDescriptionsFile } from "./record-descriptions.js";

const file = new URL("../../packages/types/src/descriptions/data/record-descriptions.ts", import.meta.url);

it("the descriptions of records are what the declarations say (pnpm --filter @tinkex-tooling/records generate)", () => {
  expect(readFileSync(file, "utf8")).toBe(recordDescriptionsFile());
});

it("says of many fields what they are, inherited ones too, in plain words", () => {
  const all = Object.values(recordDescriptions()).flatMap(({ fields = {} }) => Object.values(fields));
  expect(all.length).toBeGreaterThan(150);
  expect(all.filter((words) => /[{}@]|\s\s|^$/.test(words))).toEqual([]);
});
