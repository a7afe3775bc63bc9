import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { recordsPage } from "./records-page.js";

const page = readFileSync(new URL("../../docs/records.md", import.meta.url), "utf8");

it("docs/records.md is what the sources give (pnpm --filter @tinkex-tooling/records generate)", () => {
  expect(page).toBe(recordsPage());
});

it("has the records of every family", () => {
  for (const record of [
    "SampleRequest",
    "Datum",
    "TensorData",
    "SaveWeightsRequest",
    "BillingUsageEvent",
    "CustomLossGraph",
  ]) {
    expect(page).toContain(`| \`${record}\` |`);
  }
});

it("says of every record what it is", () => {
  expect(page.match(/^\| `\w+` \|\s*\|.*$/gm)).toBeNull();
});

it("leads from every name to its family", () => {
  const families = [...page.matchAll(/^## \[([\w-]+)\]/gm)].map(([, family]) => family);
  const targets = [...page.matchAll(/^\[`\w+`\]\(#([\w-]+)\)/gm)].map(([, family]) => family);
  expect(targets.length).toBeGreaterThan(100);
  expect(families).toEqual(expect.arrayContaining(targets));
});
