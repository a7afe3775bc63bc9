import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Address, but for its digest, of the file of a built package that holds its part of zod. */
const ZOD_WITHIN = "/dist/zod-";

const HOOK = join(import.meta.dirname, "record-loaded-modules.mjs");

/** Addresses of the modules that a fresh process loads for `import(specifier)`. */
function loadedModules(specifier: string): string {
  const { stderr, status } = spawnSync(
    process.execPath,
    ["--import", HOOK, "--input-type=module", "-e", `await import(${JSON.stringify(specifier)})`],
    { cwd: import.meta.dirname, encoding: "utf8" },
  );
  expect(status, stderr).toBe(0);
  return stderr;
}

/** Names of the npm packages that a fresh process loads for `import(specifier)`, our own left out. */
function loadedPackages(specifier: string): readonly string[] {
  const names = [
    ...loadedModules(specifier).matchAll(/\/node_modules\/(?!\.pnpm\/)((?:@[^/\n]+\/)?[^/\n]+)\//g),
  ].flatMap(([, name]) => (name === undefined || name.startsWith("@tinkex/") ? [] : [name]));
  return [...new Set(names)].sort();
}

describe("a fresh process", () => {
  it("sees the modules that are loaded", () => {
    expect(loadedPackages("zod")).toEqual(["zod"]);
  });

  it("loads no package of others for @tinkex/types, but the part of zod that lies in it", () => {
    expect(loadedPackages("@tinkex/types")).toEqual([]);
    expect(loadedModules("@tinkex/types")).toContain(ZOD_WITHIN);
  });

  it.each([
    "@tinkex/base",
    "@tinkex/types/endpoints",
    "@tinkex/types/descriptions",
    "@tinkex/tensor",
    "@tinkex/http",
    "@tinkex/tokenizer",
    "@tinkex/tokenizer/node",
    "@tinkex/tokenizer/chat-template",
    "@tinkex/renderers",
    "@tinkex/runs",
  ])("loads no zod for %s", (specifier) => {
    expect(loadedPackages(specifier)).not.toContain("zod");
    expect(loadedModules(specifier)).not.toContain(ZOD_WITHIN);
  });

  it("has the same classes from @tinkex/types and @tinkex/base", () => {
    const output = execFileSync(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `const records = await import("@tinkex/types");
         const base = await import("@tinkex/base");
         const names = Object.keys(base).filter((name) => name.endsWith("Error"));
         console.log(names.length, JSON.stringify(names.filter((name) => base[name] !== records[name])));`,
      ],
      { cwd: import.meta.dirname, encoding: "utf8" },
    );
    expect(output).toMatch(/^[1-9]\d* \[\]\n$/);
  });

  it("loads neither tfjs, onnxruntime, transformers nor undici for @tinkex/client", () => {
    const heavy = loadedPackages("@tinkex/client").filter((name) =>
      /tensorflow|tfjs|onnxruntime|transformers|undici|fastify/.test(name),
    );
    expect(heavy).toEqual([]);
  });

  // Cloudflare's workers end a program that does any of this before its first request.
  it.each([
    "@tinkex/client",
    "@tinkex/recipes",
    "@tinkex/telemetry",
    "@tinkex/tokenizer/node",
    "@tinkex/renderers",
    "@tinkex/wire",
    "tinkex",
  ])("makes no controller, timer or random number while it loads %s", (specifier) => {
    const code = `
      const refuse = (what) => function () { throw new Error(what + " while loading"); };
      for (const name of ["AbortController", "setTimeout", "setInterval", "setImmediate", "fetch"])
        globalThis[name] = refuse(name);
      Math.random = refuse("Math.random");
      for (const name of ["randomUUID", "getRandomValues"]) crypto[name] = refuse(name);
      const nodeCrypto = process.getBuiltinModule("node:crypto");
      for (const name of ["randomUUID", "randomBytes"]) nodeCrypto[name] = refuse(name);
      process.getBuiltinModule("node:module").syncBuiltinESMExports();
      await import(${JSON.stringify(specifier)});`;
    const { stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      cwd: import.meta.dirname,
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
  });

  it("ends by itself after importing the client", () => {
    execFileSync(process.execPath, ["--input-type=module", "-e", 'await import("@tinkex/client")'], {
      cwd: import.meta.dirname,
      timeout: 20_000,
    });
  });
});
