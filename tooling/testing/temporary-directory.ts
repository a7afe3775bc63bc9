import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished, TestRunner } from "vitest";

/** Place of a temporary directory, where it matters. */
export interface DirectoryPlace {
  /** An existing directory to make it in; the system's one for temporary files by default. */
  readonly parent?: string;
  /** Start of its name; `tinkex-test-` by default. */
  readonly prefix?: string;
}

/**
 * Makes an empty directory that is removed with all that is in it: after the running test where it is called in a test or a `beforeEach`,
 * after the last test of the file or the `describe` in whose body it is called. What was registered after it (`onTestFinished`, `afterAll`)
 * ends before it goes. Not for a `beforeAll`, where vitest takes no hooks any more, nor for the body of a suite that may be skipped, after
 * which it calls none: nothing would remove it there.
 * @returns its absolute path
 */
export function temporaryDirectory({
  parent = tmpdir(),
  prefix = "tinkex-test-",
}: DirectoryPlace = {}): string {
  const path = mkdtempSync(join(parent, prefix));
  const atTheEnd = TestRunner.getCurrentTest() === undefined ? afterAll : onTestFinished;
  atTheEnd(() => remove(path));
  return path;
}

/** Tries again while a process that was just killed still writes. */
function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}
