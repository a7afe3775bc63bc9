import { readFileSync } from "node:fs";

/** One recorded exchange. */
export interface Exchange {
  readonly step: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: RecordedBody;
  readonly status: number;
  readonly response: RecordedBody;
}

/** A body: JSON, or the bytes of protobuf. */
export interface RecordedBody {
  readonly json?: unknown;
  readonly base64?: string;
}

/** One call of the recorded program, and what it returned. */
export interface Step {
  readonly id: string;
  /** A neutral name, e.g. `training.forwardBackward`. */
  readonly call: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

export interface Recording {
  readonly steps: readonly Step[];
  readonly exchanges: readonly Exchange[];
}

/** The versions of the official SDK that were recorded. */
export type RecordedVersion = "0.4.1" | "0.25.0" | "0.38.0";

export function readRecording(version: RecordedVersion): Recording {
  const url = new URL(`../../fixtures/canonical-flow/${version}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8"));
}
