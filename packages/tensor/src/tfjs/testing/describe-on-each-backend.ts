import { beforeAll, describe } from "vitest";
import { BACKENDS, type BackendName } from "../backends.js";
import { pickBackend } from "../pick-backend.js";

/** Finds the reason why a backend does not run here, or undefined. */
async function problemOf(backend: BackendName): Promise<string | undefined> {
  try {
    await pickBackend({ backend });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

// cpu and wasm need nothing but their package: a test run without them is a broken one, and fails when it picks them.
const nativeProblem = await problemOf("tfjs-node");

/** Runs the same tests on each backend; those of tfjs-node are skipped, with a title that says why, where it is not built. */
export function describeOnEachBackend(title: string, define: (backend: BackendName) => void): void {
  for (const { name } of BACKENDS) {
    const problem = name === "tfjs-node" ? nativeProblem : undefined;
    const why = problem === undefined ? "" : ` (skipped: ${problem})`;
    describe.skipIf(problem !== undefined)(`${title}, on ${name}${why}`, () => {
      beforeAll(async () => {
        await pickBackend({ backend: name });
      });
      define(name);
    });
  }
}
