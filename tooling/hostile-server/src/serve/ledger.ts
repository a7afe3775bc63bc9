import { CALL_HEADER, type LedgerEntry } from "../ledger-entry.js";
import type { SeenRequest } from "../seen-request.js";

interface OpenEntry {
  readonly call: string;
  readonly method: string;
  readonly path: string;
  readonly keys: Set<string>;
  readonly arrivals: number[];
  executions: number;
}

/** Keeps book of the calls that requests say they belong to, as a service does that runs no work twice. */
export class Ledger {
  readonly #entries = new Map<string, OpenEntry>();
  readonly #doneKeys = new Set<string>();
  #arrived = 0;

  /** A request is here, whatever becomes of it. */
  noteArrival(request: SeenRequest): void {
    const entry = this.#entry(request);
    if (entry === undefined) return;
    entry.keys.add(keyOf(request));
    entry.arrivals.push(this.#arrived);
    this.#arrived += 1;
  }

  /** Its work is done, unless it has been done under the same key. */
  execute(request: SeenRequest): void {
    const entry = this.#entry(request);
    const key = keyOf(request);
    if (entry === undefined || (key !== "" && this.#doneKeys.has(key))) return;
    this.#doneKeys.add(key);
    entry.executions += 1;
  }

  entries(): LedgerEntry[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry, keys: [...entry.keys] }));
  }

  #entry({ method, path, headers }: SeenRequest): OpenEntry | undefined {
    const call = headers[CALL_HEADER];
    if (call === undefined) return undefined;
    let entry = this.#entries.get(call);
    if (entry === undefined) {
      entry = { call, method, path, keys: new Set(), arrivals: [], executions: 0 };
      this.#entries.set(call, entry);
    }
    return entry;
  }
}

function keyOf({ headers }: SeenRequest): string {
  return headers["x-idempotency-key"] ?? "";
}
