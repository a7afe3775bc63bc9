import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { FLOW_FILE, type FlowResult } from "./flow.js";

const run = promisify(execFile);

const ROOT = new URL("../../", import.meta.url);
const SCRIPT = fileURLToPath(new URL("python_sdk_flow.py", import.meta.url));

/** A version of the official SDK, and where a Python that has it is looked for. */
export interface PythonSdk {
  readonly version: string;
  readonly variable: string;
  readonly venv: string;
}

/** One of each generation of the API: newest, protobuf, plain JSON. */
export const PYTHON_SDKS: readonly PythonSdk[] = [
  { version: "0.38.0", variable: "TINKEX_CONFORMANCE_PYTHON", venv: ".cache/conformance" },
  { version: "0.25.0", variable: "TINKEX_CONFORMANCE_PYTHON_0_25", venv: ".cache/conformance-0.25" },
  { version: "0.4.1", variable: "TINKEX_CONFORMANCE_PYTHON_0_4", venv: ".cache/conformance-0.4" },
];

/**
 * The Python to use, a path or a command such as `python3`, or in words why there is none.
 */
export async function findPython(
  sdk: PythonSdk,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly python: string } | { readonly missing: string }> {
  const python = env[sdk.variable] ?? fileURLToPath(new URL(`${sdk.venv}/bin/python`, ROOT));
  const remedy = `see tooling/conformance/README.md`;
  try {
    const { stdout } = await run(python, ["-c", "import tinker; print(tinker.__version__)"]);
    const version = stdout.trim();
    if (version === sdk.version) return { python };
    return { missing: `${python} has tinker ${version}, not ${sdk.version}: ${remedy}` };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return {
      missing: isMissing ? `no Python at ${python}: ${remedy}` : `${python} has no package tinker: ${remedy}`,
    };
  }
}

/** Runs the flow with the official SDK. */
export async function runPythonFlow(python: string, baseUrl: string, baseModel: string): Promise<FlowResult> {
  const { stdout } = await run(python, [SCRIPT, baseUrl, baseModel, FLOW_FILE], {
    env: { PATH: process.env.PATH, TINKER_TELEMETRY: "0" },
    timeout: 120_000,
  }).catch((error: Error & { code?: unknown; signal?: unknown; stdout?: unknown }) => {
    const { code, signal, stdout, message } = error;
    throw new Error(`${message}; exit code ${code}, signal ${signal}, printed: ${stdout}`, { cause: error });
  });
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return {
    losses: lines.filter((line) => "loss" in line).map(({ loss }) => loss),
    ...lines.find((line) => "tokens" in line),
  };
}
