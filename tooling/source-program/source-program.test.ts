import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it, onTestFinished } from "vitest";
import { sourceProgram } from "./source-program.js";

/** A folder beside this file, where modules find what this package depends on. */
async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const path = temporaryDirectory({ parent: import.meta.dirname, prefix: ".cache-" });
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return path;
}

/** Runs a program as of this file. @returns what it printed as JSON, on standard error where it failed */
async function run(code: string, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const program = await sourceProgram(code, import.meta.url);
  onTestFinished(() => program.remove());
  return promisify(execFile)(process.execPath, [...program.nodeArguments, ...args]).catch((error) => error);
}

it("runs TypeScript with its arguments, and gives each module its own address", async () => {
  const path = await folder({
    "one.ts": `export const one: readonly string[] = [import.meta.url, import.meta.filename, import.meta.dirname];`,
  });
  const { stdout } = await run(
    `import { one } from ${JSON.stringify(`${path}/one.ts`)};
     console.log(JSON.stringify([...one, import.meta.url, process.argv[2]] satisfies unknown[]));`,
    "an argument",
  );
  const file = join(path, "one.ts");
  expect(JSON.parse(stdout)).toEqual([`file://${file}`, file, path, import.meta.url, "an argument"]);
});

it("leaves packages outside, each from where its importer finds it, and misses one only where it is asked for", async () => {
  const { stdout } = await run(`
    import { version } from "esbuild";
    const missing = () => import("not-installed-anywhere");
    const { code } = await missing().catch((error) => error);
    console.log(JSON.stringify([version, code]));`);
  const { version } = createRequire(import.meta.url)("esbuild");
  expect(JSON.parse(stdout)).toEqual([version, "ERR_MODULE_NOT_FOUND"]);
});

it("tells a failure by the file and line of the source", async () => {
  const path = await folder({
    "two.ts": `type A = 1;\n\nexport const two = (a: A) => { throw new Error(String(a)); };\n`,
  });
  const { stderr } = await run(`import { two } from ${JSON.stringify(`${path}/two.ts`)}; two(1);`);
  expect(stderr).toContain(`${join(path, "two.ts")}:3:`);
});

it("loads a module behind import() when it is asked for, and another never", async () => {
  const path = await folder({ "late.ts": `console.log("late");`, "never.ts": `console.log("never");` });
  const { stdout } = await run(`
    console.log("early");
    await import(${JSON.stringify(`${path}/late.ts`)});
    if (process.argv.length > 9) await import(${JSON.stringify(`${path}/never.ts`)});`);
  expect(stdout).toBe("early\nlate\n");
});

it("runs a module that is imported for what it does, in a package that says its modules do nothing", async () => {
  const path = await folder({
    "package.json": `{ "sideEffects": false }`,
    "acts.ts": `console.log("acts");`,
  });
  expect((await run(`import ${JSON.stringify(`${path}/acts.ts`)};`)).stdout).toBe("acts\n");
});

it("does not find packages that are to be missing", async () => {
  const program = await sourceProgram(`import "esbuild";`, import.meta.url, ["esbuild"]);
  onTestFinished(() => program.remove());
  const failed = await promisify(execFile)(process.execPath, program.nodeArguments).catch((error) => error);
  expect(failed.stderr).toContain("Cannot find package 'esbuild'");
});

it("removes its file, and leaves none where the program cannot be compiled", async () => {
  const program = await sourceProgram("export {};", import.meta.url);
  expect(existsSync(program.file)).toBe(true);
  await program.remove();
  expect(existsSync(program.file)).toBe(false);
  await expect(sourceProgram(`import "./not-there.js";`, import.meta.url)).rejects.toThrow("not-there");
});
