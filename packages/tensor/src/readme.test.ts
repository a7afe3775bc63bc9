import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { sourceProgram } from "@tinkex-tooling/source-program";
import { expect, it, onTestFinished } from "vitest";

it("the README's program runs as it stands", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? expect.fail("the README shows no program");
  // From the sources, which need no build.
  const fromSources = program.replace(
    '"@tinkex/tensor"',
    JSON.stringify(new URL("index.ts", import.meta.url).href),
  );
  const { nodeArguments, remove } = await sourceProgram(fromSources, import.meta.url);
  onTestFinished(remove);
  const { status, stdout, stderr } = spawnSync(process.execPath, nodeArguments, { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: "float32 int64 [ 2, 2 ] []\n[ 1, 2, 3, 4 ]\n",
    stderr: "",
  });
}, 60_000);
