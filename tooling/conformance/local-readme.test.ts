import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const readme = readFileSync(new URL("../../packages/local/README.md", import.meta.url), "utf8");

it("the example in the README of @tinkex/local prints its loss", { timeout: 60_000 }, async () => {
  const example = /```js\n(.*?)```/s.exec(readme)?.[1] ?? "";
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", example],
    {
      cwd: fileURLToPath(new URL(".", import.meta.url)),
      env: { PATH: process.env.PATH },
      timeout: 60_000,
    },
  );
  expect(stderr).toBe("");
  expect(Number(stdout)).toBeGreaterThan(0);
});
