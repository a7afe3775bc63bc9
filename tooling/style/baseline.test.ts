import { expect, it } from "vitest";
import { changesBetween, countFindings, describeChange } from "./baseline.js";

it("counts findings by folder and rule", () => {
  const findings = [
    { folder: "packages/b", rule: "increment" },
    { folder: "packages/a", rule: "superlative" },
    { folder: "packages/b", rule: "boolean-name" },
    { folder: "packages/b", rule: "increment" },
  ];
  const counts = countFindings(findings);
  expect(JSON.stringify(counts)).toBe(
    '{"packages/a":{"superlative":1},"packages/b":{"boolean-name":1,"increment":2}}',
  );
});

it("tells of counts that rise and that fall, in folders and of rules that one side lacks too", () => {
  const committed = { a: { x: 2, y: 1 }, b: { x: 1 } };
  const found = { a: { x: 3, z: 1 }, c: { x: 1 }, b: { x: 1 } };
  expect(changesBetween(committed, found)).toEqual([
    { folder: "a", rule: "x", committed: 2, found: 3 },
    { folder: "a", rule: "y", committed: 1, found: 0 },
    { folder: "a", rule: "z", committed: 0, found: 1 },
    { folder: "c", rule: "x", committed: 0, found: 1 },
  ]);
  expect(changesBetween(committed, committed)).toEqual([]);
});

it("says how a count that differs is mended", () => {
  const change = { folder: "a", rule: "x", committed: 1, found: 2 };
  expect(describeChange(change)).toMatch(/^a: x must be 1, got 2; see docs\/style\.md/);
  expect(describeChange({ ...change, found: 0 })).toMatch(/run update/);
});
