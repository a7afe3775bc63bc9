import type { LedgerEntry } from "@tinkex-tooling/hostile-server";
import type { Operation } from "../../operations/operations.js";
import { OPERATIONS } from "../../operations/operations.js";
import type { CallReport } from "./run-campaign.js";

/** Ends of a call that leave open what of it is still on its way to the server. */
const LEFT_EARLY = new Set(["aborted", "timed_out"]);

/** Compares what the callers saw with what the server saw; each line tells of something that must not be. */
export function checkLedger(reports: readonly CallReport[], ledger: readonly LedgerEntry[]): string[] {
  const entries = new Map(ledger.map((entry) => [entry.call, entry]));
  const findings = reports.flatMap((report) => checkCall(report, entries.get(report.call)));
  return [...findings, ...checkKeys(ledger), ...checkOrder(reports, entries)];
}

function checkCall(
  { call, operation, outcome, isMixedUp }: CallReport,
  entry: LedgerEntry | undefined,
): string[] {
  const findings: string[] = [];
  const say = (what: string): void => void findings.push(`call ${call} (${operation}, ${outcome}): ${what}`);
  const row: Operation = OPERATIONS[operation];
  if (isMixedUp) say("was given the answer of another call");
  if (outcome === "succeeded" && (entry === undefined || entry.executions === 0))
    say("was lost: its work was never done");
  if (entry === undefined) return findings;
  if (row.idempotent !== "method" && entry.executions > 1)
    say(`was doubled: its work was done ${entry.executions} times`);
  if (entry.keys.length !== 1) say(`went out under ${entry.keys.length} keys`);
  if (entry.keys.includes("") !== (row.idempotent !== "key"))
    say("went out with a key where none belongs, or without one");
  return findings;
}

/** No two calls may share a key. */
function checkKeys(ledger: readonly LedgerEntry[]): string[] {
  const owners = new Map<string, string>();
  return ledger.flatMap(({ call, keys }) =>
    keys.flatMap((key) => {
      const owner = owners.get(key);
      owners.set(key, call);
      return key !== "" && owner !== undefined ? [`calls ${owner} and ${call} share a key`] : [];
    }),
  );
}

/** Within a lane nothing of a call may arrive after anything of the next one: a late repeat would change their order. */
function checkOrder(reports: readonly CallReport[], entries: ReadonlyMap<string, LedgerEntry>): string[] {
  const lastSeen = new Map<number, { readonly call: string; readonly arrival: number }>();
  return reports.flatMap(({ call, lane, outcome }) => {
    const arrivals = entries.get(call)?.arrivals ?? [];
    const before = lastSeen.get(lane);
    const latest = arrivals.at(-1);
    if (latest !== undefined && !LEFT_EARLY.has(outcome)) lastSeen.set(lane, { call, arrival: latest });
    const isLate = before !== undefined && (arrivals[0] ?? Number.POSITIVE_INFINITY) < before.arrival;
    return isLate ? [`a request of call ${before.call} arrived after call ${call}, which came later`] : [];
  });
}
