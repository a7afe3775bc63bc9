import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parseExactJson } from "../json/parse-exact-json.js";

/** Versions of the official SDK whose traffic is recorded. */
export const versions = ["0.4.1", "0.25.0", "0.38.0"] as const;
export type Version = (typeof versions)[number];

/** A recorded body, in the forms that `fixtures/recorded/README.md` describes. */
export interface RecordedBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly body_text?: string;
  readonly body_base64?: string;
  readonly body_decoded_base64?: string;
  readonly body_proto_json?: unknown;
}

export interface Exchange {
  readonly version: Version;
  readonly scenario: string;
  readonly step: string;
  readonly request: RecordedBody & { readonly method: string; readonly path: string };
  /** Absent when the server closed the connection without an answer. */
  readonly response: (RecordedBody & { readonly status: number }) | null;
}

export interface Step {
  readonly id: string;
  readonly call: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly note?: string;
  readonly group?: string;
  readonly future?: string;
}

const folder = new URL("../../fixtures/recorded/", import.meta.url);

function readText(path: string): string {
  return gunzipSync(readFileSync(new URL(path, folder))).toString("utf8");
}

/** Lists the names of a version's scenarios. */
export function scenariosOf(version: Version): readonly string[] {
  const suffix = ".scenario.json.gz";
  return readdirSync(new URL(`${version}/`, folder))
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length));
}

/** Reads the exchanges of a scenario. Long integers are bigints; NaN may occur in parsed bodies. */
export function exchangesOf(version: Version, scenario: string): readonly Exchange[] {
  return readText(`${version}/${scenario}.jsonl.gz`)
    .trimEnd()
    .split("\n")
    .map((line) => ({
      version,
      scenario,
      ...(parseExactJson(line, "Exchange") as Omit<Exchange, "version" | "scenario">),
    }));
}

/** Reads all exchanges of a version. */
export function allExchanges(version: Version): readonly Exchange[] {
  return scenariosOf(version).flatMap((scenario) => exchangesOf(version, scenario));
}

/** Reads the calls of a scenario by step id. */
export function stepsOf(version: Version, scenario: string): ReadonlyMap<string, Step> {
  const { steps } = parseExactJson(readText(`${version}/${scenario}.scenario.json.gz`), "Scenario") as {
    readonly steps: readonly Step[];
  };
  return new Map(steps.map((step) => [step.id, step]));
}

/** Reads the bytes of a recorded body, decompressed; undefined when there was none. */
export function bodyBytes(body: RecordedBody): Uint8Array | undefined {
  const base64 = body.body_decoded_base64 ?? body.body_base64;
  if (base64 !== undefined) return new Uint8Array(Buffer.from(base64, "base64"));
  return body.body_text === undefined ? undefined : Buffer.from(body.body_text, "utf8");
}

/** Gives `value` without null members, which the API means as absent; nulls in lists stay. Minus zero is zero in JSON. */
export function withoutNulls(value: unknown): unknown {
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member)]),
  );
}
