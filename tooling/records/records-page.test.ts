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
