import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Versions of the official SDK that were recorded. */
export type RecordedVersion = "0.4.1" | "0.25.0" | "0.38.0";

/** A body: JSON or other text, or the bytes of protobuf; none where both are absent. */
export interface RecordedBody {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body_text?: string;
  readonly body_base64?: string;
  /** The bytes before they were packed. */
  readonly body_decoded_base64?: string;
}

/** One recorded exchange. */
export interface Exchange {
  /** The step, or group of steps, during which the request arrived. */
  readonly step: string;
  readonly request: RecordedBody & { readonly method: string; readonly path: string; readonly query: string };
  /** Null when the server closed the connection without an answer. */
  readonly response:
    | (RecordedBody & { readonly status: number; readonly framing?: "truncate" | "chunked" | "close" })
    | null;
}

/** An exception of the recorded program. */
export interface RecordedError {
  readonly class: string;
  readonly message: string;
  readonly status_code?: number;
  readonly category?: string;
  readonly request_id?: string;
}

/** One call of the recorded program, and what it returned. */
export interface Step {
  readonly id: string;
  /** A neutral name, e.g. `training.forwardBackward`. */
  readonly call: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: RecordedError;
  readonly note?: string;
  /** Steps under way together; their exchanges bear this name. */
  readonly group?: string;
  /** Names a call that is submitted without waiting; an `await` of that name has its result. */
  readonly future?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** One scenario as one version of the official SDK ran it. */
export interface Recording {
  readonly version: RecordedVersion;
  readonly scenario: string;
  readonly steps: readonly Step[];
  readonly exchanges: readonly Exchange[];
}

/** The package that reads and writes these bodies keeps the recordings; its README says what they are. */
const FOLDER = new URL("../../../wire/fixtures/recorded/", import.meta.url);

export function readRecording(scenario: string, version: RecordedVersion): Recording {
  const text = (name: string) =>
    gunzipSync(readFileSync(new URL(`${version}/${scenario}${name}.gz`, FOLDER))).toString("utf8");
  // Integers that a number cannot hold become strings.
  const { steps } = JSON.parse(text(".scenario.json").replace(/([:,[] ?)(-?\d{16,})(?=[,\]}])/g, '$1"$2"'));
  const lines = text(".jsonl").trimEnd().split("\n");
  return { version, scenario, steps, exchanges: lines.map(parseExchange) };
}

/** Parses a line without the parsed bodies, of which some hold NaN as no JSON does. */
function parseExchange(line: string): Exchange {
  const parsedAt = line.lastIndexOf(',"body_json":');
  const answersNumbers =
    parsedAt > line.lastIndexOf('"response":') && /NaN|Infinity/.test(line.slice(parsedAt));
  return JSON.parse(answersNumbers ? `${line.slice(0, parsedAt)}}}` : line);
}
