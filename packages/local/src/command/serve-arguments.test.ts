import { describe, expect, it } from "vitest";
import { serveArguments } from "./serve-arguments.js";

describe("serveArguments", () => {
  it("turns every option of the command line into the server's", () => {
    const { options } = serveArguments(
      ["--port", "8000", "--host", "127.0.0.1", "--data", "runs", "--model", "a/b=./weights=1"].concat([
        "--model=c=d",
        "--runtime",
        "wasm",
        "--threads",
        "2",
        "--memory-limit",
        "3000",
        "--weights",
        "int8",
        "--stand-in",
        "--seed=-3",
        "--api-key",
        "tml-k",
      ]),
      {},
    );
    expect(options).toEqual({
      port: 8000,
      host: "127.0.0.1",
      dataDirectory: "runs",
      models: [
        { name: "a/b", directory: "./weights=1" },
        { name: "c", directory: "d" },
      ],
      standIn: true,
      runtime: "wasm",
      threads: 2,
      memoryLimitMb: 3000,
      weights: "int8",
      seed: -3,
      apiKey: "tml-k",
    });
  });

  it("asks for the key of the environment only when told to", () => {
    const env = { TINKER_API_KEY: "tml-from-env" };
    expect(serveArguments([], env).options.apiKey).toBeUndefined();
    expect(serveArguments(["--require-key"], env).options.apiKey).toBe("tml-from-env");
    expect(() => serveArguments(["--require-key"], {})).toThrow(
      "TINKER_API_KEY is not set; set it, or give the key as --api-key",
    );
  });

  it.each([
    [["--prot", "1"], /^serve: Unknown option '--prot'; did you mean --port\?$/],
    [["--models=a=b"], /^serve: Unknown option '--models'; did you mean --model\?$/],
    [["--quiet"], /^serve: Unknown option '--quiet' \(--help lists the options\)$/],
    [["serve"], /serve/],
    [["--port", "x"], '--port must be a whole number, got "x"'],
    [["--port", ""], '--port must be a whole number, got ""'],
    [["--port", "-1"], /^[^\n]*use '--port=-XYZ'[^\n]*$/],
    [["--data="], '--data must not be empty; write "." for the working folder'],
    [["--data", ""], '--data must not be empty; write "." for the working folder'],
    [["--model", "name="], "--model must be NAME=DIRECTORY"],
    [["--threads", "1.5"], "--threads must be a whole number"],
    [
      ["--model", "Qwen/Qwen3-8B"],
      /^--model must be NAME=DIRECTORY, got "Qwen\/Qwen3-8B"; --stand-in serves any name/,
    ],
    [["--memory-limit", "2GB"], '--memory-limit must be a whole number of megabytes, got "2GB"'],
    [["--model", "=dir"], "--model must be NAME=DIRECTORY"],
    [["--weights", "int2"], '--weights must be one of float32, int8, int4, got "int2"'],
    [["--weights", ""], '--weights must be one of float32, int8, int4, got ""'],
    [["--runtime", "gpu"], "--runtime must be auto, native or wasm"],
  ] as const)("refuses %j by name", (args, message) => {
    expect(() => serveArguments(args, {})).toThrow(message);
  });
});
