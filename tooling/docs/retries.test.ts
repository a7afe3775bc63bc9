import { readFileSync } from "node:fs";
import { join } from "node:path";
import { POLICIES } from "@tinkex/http";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "./snippets.js";

const page = readFileSync(join(REPOSITORY, "docs", "retries.md"), "utf8");

/** The table of endpoints, policy by policy, as the page has it; ¹ marks a 409 that is final, ² a call that is not idempotent. */
function endpointsOfPage(): Record<string, readonly string[]> {
  const rows = [...page.matchAll(/^\| `(\w+)` \|[^|]*\|[^|]*\| ([^|]+) \|$/gm)];
  return Object.fromEntries(
    rows.map(([, policy = "", names = ""]) => [policy, names.replaceAll("`", "").split(", ").sort()]),
  );
}

function endpointsOfTable(): Record<string, readonly string[]> {
  const byPolicy = new Map<string, string[]>();
  for (const [name, policy] of Object.entries(POLICIES)) {
    const isFinal409 = "finalStatuses" in policy && policy.finalStatuses.includes(409);
    const marks = `${isFinal409 ? "¹" : ""}${policy.idempotent === "no" ? "²" : ""}`;
    byPolicy.set(policy.retry, [...(byPolicy.get(policy.retry) ?? []), `${name}${marks}`]);
  }
  return Object.fromEntries([...byPolicy].map(([policy, names]) => [policy, names.sort()]));
}

describe("docs/retries.md", () => {
  it("lists each endpoint beside the policy that repeats its calls", () => {
    expect(endpointsOfPage()).toEqual(endpointsOfTable());
  });
});
