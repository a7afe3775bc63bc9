import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type LocalServerOptions, startLocalServer } from "@tinkex/local";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { findPython, PYTHON_SDKS, type PythonSdk } from "./python-sdk.js";
import { runTable, type TableLine } from "./surface/run-table.js";

const TIMEOUT_MS = 330_000;
const KEY = "tml-conformance";

/** Tables of what an SDK can be asked, and the generation of the server that it is asked of: all at once where none is named. */
const TABLES = [
  { version: "0.38.0", table: "surface-0.38.toml", generation: undefined },
  { version: "0.4.1", table: "surface-0.4.toml", generation: "0.4" },
] as const;

function sdkOf(wanted: string): PythonSdk {
  return PYTHON_SDKS.find(({ version }) => version === wanted) ?? expect.fail(`no SDK ${wanted}`);
}

/** Finds the Python with a version of the SDK, or skips the test with one line. */
async function pythonOf(version: string, context: TestContext): Promise<string> {
  const found = await findPython(sdkOf(version), process.env);
  if ("python" in found) return found.python;
  console.warn(`skipped: tinker ${version}: ${found.missing}`);
  return context.skip(found.missing);
}

async function serve(options: LocalServerOptions) {
  const server = await startLocalServer({ threads: 1, ...options });
  onTestFinished(() => server.close());
  return { url: server.url, model: server.models[0]?.name ?? "" };
}

function report(lines: readonly TableLine[], title: string): void {
  const skipped = lines.filter((line) => line.skipped !== undefined);
  console.info(
    `${title}: ${lines.length - skipped.length} rows, ${skipped.length} skipped for absent packages`,
  );
  expect(lines.filter(({ ok, skipped: reason }) => ok !== true && reason === undefined)).toEqual([]);
}

describe.each(TABLES)("the whole surface of the official SDK $version", ({ version, table, generation }) => {
  it("gives what the table says, and the table has every method and option", {
    timeout: TIMEOUT_MS,
  }, async (context) => {
    const python = await pythonOf(version, context);
    const { url, model } = await serve({ generation });
    const keyed = await serve({ apiKey: KEY });
    const lines = await runTable(python, "sdk_surface.py", table, [url, keyed.url, model]);
    expect(lines.length).toBeGreaterThan(60);
    report(lines, `tinker ${version}`);
  });

  it("fails for a method, and for an option, that the table lacks", {
    timeout: TIMEOUT_MS,
  }, async (context) => {
    const python = await pythonOf(version, context);
    const folder = temporaryDirectory();
    const text = await readFile(new URL(`surface/${table}`, import.meta.url), "utf8");
    const shorter = join(folder, table);
    const without = text
      .replaceAll('method = "RestClient.list_checkpoints"', 'method = "RestClient.no_such"')
      .replaceAll('"top_p"]', "]");
    await writeFile(shorter, without);
    const lines = await runTable(python, "sdk_surface.py", pathToFileURL(shorter).href, []);
    expect(lines).toContainEqual({
      method: "RestClient.list_checkpoints",
      ok: false,
      "not in the table": "method",
    });
    expect(lines).toContainEqual({ method: "SamplingParams", ok: false, "not in the table": ["top_p"] });
    expect(lines).toContainEqual({
      method: "RestClient.no_such",
      ok: false,
      "not in the package": "RestClient.no_such",
    });
  });
});

it("every command and option of the official command line prints what the table says", {
  timeout: TIMEOUT_MS,
}, async (context) => {
  const python = await pythonOf("0.38.0", context);
  const { url, model } = await serve({ apiKey: KEY });
  const lines = await runTable(python, "cli_surface.py", "cli-0.38.toml", [url, KEY, model]);
  expect(lines.length).toBeGreaterThan(20);
  report(lines, "the command line of tinker 0.38.0");
});
