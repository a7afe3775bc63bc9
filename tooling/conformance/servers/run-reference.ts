import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { OtherServer } from "./other-server.js";
import { OVERFIT_FILE, type Sequence } from "./overfit.js";
import { pythonOf } from "./server-cache.js";
import { MODEL_NAME, script } from "./server-kinds.js";

const run = promisify(execFile);

/** Trains on the sequence with the official SDK, one step after the other. */
export async function runReference(
  { kind, url }: OtherServer,
  { tokens }: Sequence,
): Promise<{ readonly sdk: string; readonly losses: readonly number[] }> {
  const { stdout } = await run(
    pythonOf(kind),
    [script("reference.py"), url, MODEL_NAME, JSON.stringify(tokens), OVERFIT_FILE],
    { env: { PATH: process.env.PATH, TINKER_TELEMETRY: "0" }, timeout: 180_000 },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}
