import { readFileSync } from "node:fs";
import { ENDPOINTS } from "@tinkex/types";
import { expect, it } from "vitest";
import { endpointsPage } from "./endpoints-page.js";

function doc(path: string): string {
  return readFileSync(new URL(`../../docs/${path}`, import.meta.url), "utf8");
}

const page = doc("protocol/endpoints.md");

it("docs/protocol/endpoints.md is what the sources give (pnpm --filter @tinkex-tooling/records generate)", () => {
  expect(page).toBe(endpointsPage());
});

it("has one row for each endpoint, in the order of the table", () => {
  const names = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(names).toEqual(Object.keys(ENDPOINTS));
});

it("links every record to a section that docs/records.md has", () => {
  const sections = new Set([...doc("records.md").matchAll(/^## \[([\w-]+)\]/gm)].map(([, name]) => name));
  const targets = [...page.matchAll(/\.\.\/records\.md#([\w-]+)/g)].map(([, target]) => target);
  expect(targets.length).toBeGreaterThan(60);
  expect(targets.filter((target) => !sections.has(target))).toEqual([]);
});

it("agrees with the index in docs/protocol/rest.md, which was written by hand from the official SDK", () => {
  const index = doc("protocol/rest.md").split("## 5. ")[1] ?? "";
  const known = [...index.matchAll(/^\| [\d–]+ \| ([A-Z]+) `([^`]+)` \| ([DF]) \|/gm)].map(
    ([, method, path = "", kind]) => {
      const whole = path.replace("…/{kind}/{name}", "/training_runs/{run}/checkpoints/{kind}/{name}");
      return `${method} ${whole} ${kind === "F" ? "future" : "direct"}`;
    },
  );
  const rows = [...page.matchAll(/^\| `\w+` \| ([A-Z]+) `([^`]+)` \|.*\| (future|direct) \|/gm)].map(
    ([, method, path, kind]) => `${method} ${path} ${kind}`,
  );
  // The synchronous sampling of 0.1 and 0.2, which no server has any more.
  expect(known.filter((row) => row !== "POST /sample direct").sort()).toEqual(rows.sort());
});
