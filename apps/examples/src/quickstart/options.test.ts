import { describe, expect, it } from "vitest";
import { BUNDLED_DATA, parseOptions } from "./options.js";

const parse = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => parseOptions(args, env);

describe("parseOptions", () => {
  it("starts its own server on a free port with the bundled data by default", () => {
    expect(parse([])).toEqual({
      seed: 1,
      steps: 60,
      runtime: "auto",
      port: 0,
      dataFiles: BUNDLED_DATA,
      model: undefined,
      startsServer: true,
    });
  });

  it.each([{ TINKER_API_KEY: "tml-key" }, { TINKER_BASE_URL: "http://127.0.0.1:8000" }])(
    "uses the service that the environment names: %j",
    (env) => expect(parse([], env).startsServer).toBe(false),
  );

  it("takes an empty variable as unset", () => {
    expect(parse([], { TINKER_API_KEY: "", TINKER_BASE_URL: "" }).startsServer).toBe(true);
  });

  it.each([
    [["--seed", "one"], '--seed must be a whole number, not "one"'],
    [["--runtime", "gpu"], '--runtime must be one of auto, native, wasm, not "gpu"'],
    [["--sead", "1"], "Unknown option '--sead'; options are --seed, --steps, --runtime, --port, --train, "],
    [["--help"], "Unknown option '--help'; options are --seed, "],
    [["--steps", "-3"], /^Option '--steps' argument is ambiguous; options are [^\n]*--model$/],
  ])("refuses %j in one line", (args, message) => expect(() => parse(args)).toThrow(message));
});
