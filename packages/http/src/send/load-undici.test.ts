import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { loadUndici, loadUndiciParts } from "./load-undici.js";

/** Makes the files of undici's parts unknown, as a version would that has them elsewhere. */
const MOVED = `
  import { register } from "node:module";
  const hook = \`export async function resolve(specifier, context, next) {
    if (specifier.startsWith("undici/lib/")) throw new Error("no such file");
    return next(specifier, context);
  }\`;
  register("data:text/javascript," + encodeURIComponent(hook));`;

describe("the part of undici that carries requests", () => {
  it("is of the undici that its entry gives", async () => {
    const [parts, undici] = await Promise.all([loadUndiciParts(), loadUndici()]);
    expect(parts?.Client).toBe(undici?.Client);
    expect(parts?.buildConnector).toBe(undici?.buildConnector);
    expect(parts?.errors).toBe(undici?.errors);
  });

  it.each([
    ["without the rest, where its files are known", "", { hasClient: true, isWhole: false }],
    ["whole, where they lie elsewhere", MOVED, { hasClient: true, isWhole: true }],
  ])("is loaded %s", (_, prelude, expected) => {
    const code = `
      ${prelude}
      const { loadUndiciParts } = await import(${JSON.stringify(new URL("load-undici.ts", import.meta.url).href)});
      const parts = await loadUndiciParts();
      const { createRequire } = await import("node:module");
      const { cache } = createRequire(import.meta.url);
      const isWhole = Object.keys(cache).some((file) => file.endsWith("mock-agent.js"));
      console.log(JSON.stringify({ hasClient: typeof parts.Client.prototype.dispatch === "function", isWhole }));`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--import=tsx", "--input-type=module", "-e", code],
      { cwd: import.meta.dirname, encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(expected);
  });
});
