import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty directory that is removed when the running test ends. */
export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "tinkex-test-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
