import type { LedgerEntry } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { checkLedger } from "./check-ledger.js";
import type { CallReport } from "./run-campaign.js";

const report = (call: string, more: Partial<CallReport> = {}): CallReport => ({
  call,
  lane: 0,
  operation: "optim_step",
  outcome: "succeeded",
  isMixedUp: false,
  ...more,
});
const entry = (call: string, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  call,
  method: "POST",
  path: "/api/v1/optim_step",
  keys: [`key of ${call}`],
  arrivals: [Number(call)],
  executions: 1,
  ...more,
});

describe("checkLedger", () => {
  it("finds nothing where every call was done once", () => {
    expect(checkLedger([report("1"), report("2")], [entry("1"), entry("2")])).toEqual([]);
  });

  it.each([
    ["lost", [report("1")], [], /was lost/],
    ["lost before its work", [report("1")], [entry("1", { executions: 0 })], /was lost/],
    ["doubled", [report("1")], [entry("1", { executions: 2 })], /was doubled/],
    ["under two keys", [report("1")], [entry("1", { keys: ["a", "b"] })], /under 2 keys/],
    ["without its key", [report("1")], [entry("1", { keys: [""] })], /without one/],
    ["with a key on a GET", [report("1", { operation: "healthz" })], [entry("1")], /where none belongs/],
    ["mixed up", [report("1", { isMixedUp: true })], [entry("1")], /answer of another call/],
    [
      "sharing a key",
      [report("1"), report("2")],
      [entry("1", { keys: ["k"] }), entry("2", { keys: ["k"] })],
      /share a key/,
    ],
    [
      "late",
      [report("1"), report("2")],
      [entry("1", { arrivals: [0, 9] }), entry("2", { arrivals: [5] })],
      /arrived after/,
    ],
  ] as const)("finds a call that is %s", (_, reports, ledger, finding) => {
    const findings = checkLedger(reports, ledger);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(finding);
  });

  it("takes a repeated read for what it is, and a call left early for one that may still arrive", () => {
    const read = entry("1", { keys: [""], executions: 3 });
    expect(checkLedger([report("1", { operation: "healthz" })], [read])).toEqual([]);
    const late = [entry("1", { arrivals: [9] }), entry("2", { arrivals: [5] })];
    expect(checkLedger([report("1", { outcome: "aborted" }), report("2")], late)).toEqual([]);
  });
});
