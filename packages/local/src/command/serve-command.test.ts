import { readdirSync } from "node:fs";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { serveCommand } from "./serve-command.js";

it("ends in order, and leaves nothing, when it is told to before the server stands", async () => {
  const parent = temporaryDirectory();
  vi.stubEnv("TMPDIR", parent);
  onTestFinished(() => void vi.unstubAllEnvs());
  const out: string[] = [];
  const note = (line: string) => void out.push(line);
  const ended = Promise.resolve();
  const code = await serveCommand([], { env: {}, write: note, writeError: note, ended });
  expect([code, out]).toEqual([0, ["closing"]]);
  expect(readdirSync(parent)).toEqual([]);
});

it.each([
  [["--host", "0.0.0.0"], /^error: host .* set apiKey .* \(on the command line apiKey is --api-key\)$/],
  [
    ["--memory-limit", "10"],
    /^error: memoryLimitMb .* \(on the command line memoryLimitMb is --memory-limit\)$/,
  ],
])("adds the flags for the options that the refusal of %j names", async (args, message) => {
  const out: string[] = [];
  const note = (line: string) => void out.push(line);
  const surroundings = { env: {}, write: note, writeError: note, ended: new Promise<void>(() => {}) };
  expect(await serveCommand(args, surroundings)).toBe(1);
  expect(out).toEqual([expect.stringMatching(message)]);
});
