import { readdirSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.js";
import { serveCommand } from "./serve-command.js";

it("ends in order, and leaves nothing, when it is told to before the server stands", async () => {
  const parent = await temporaryDirectory();
  vi.stubEnv("TMPDIR", parent);
  onTestFinished(() => void vi.unstubAllEnvs());
  const out: string[] = [];
  const note = (line: string) => void out.push(line);
  const ended = Promise.resolve();
  const code = await serveCommand([], { env: {}, write: note, writeError: note, ended });
  expect([code, out]).toEqual([0, ["closing"]]);
  expect(readdirSync(parent)).toEqual([]);
});
