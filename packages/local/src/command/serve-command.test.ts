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

it("adds the flags for the options that a refusal of the server names", async () => {
  const out: string[] = [];
  const note = (line: string) => void out.push(line);
  const surroundings = { env: {}, write: note, writeError: note, ended: new Promise<void>(() => {}) };
  expect(await serveCommand(["--host", "0.0.0.0"], surroundings)).toBe(1);
  expect(out).toEqual([
    expect.stringMatching(/^error: host .* set apiKey .* \(on the command line apiKey is --api-key\)$/),
  ]);
});
