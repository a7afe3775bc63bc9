import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPnpm, parsePackageManager } from "./install-pnpm.mjs";
import { ROOT } from "./versions.mjs";

describe("parsePackageManager", () => {
  it("gives the hash as npm writes it", () => {
    const hex = createHash("sha512").update("tarball").digest("hex");
    const integrity = `sha512-${createHash("sha512").update("tarball").digest("base64")}`;
    expect(parsePackageManager(`pnpm@10.34.9+sha512.${hex}`)).toEqual({ version: "10.34.9", integrity });
  });

  it("reads the field of this repository", () => {
    const { packageManager } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(parsePackageManager(packageManager).integrity).toMatch(/^sha512-[\w+/]{86}==$/);
  });

  it.each([
    "pnpm@10.34.9",
    "pnpm@10.34.9+sha512.abc",
    `npm@10.0.0+sha512.${"0".repeat(128)}`,
    "pnpm@^10.0.0",
  ])("refuses %s, which would let any tarball run", (field) =>
    expect(() => parsePackageManager(field)).toThrow("must be pnpm@VERSION+sha512.HEX"),
  );
});

describe("installPnpm, from a registry on this machine", () => {
  const folder = temporaryDirectory();
  const server = createServer();
  let registry = "";
  let tarball = Buffer.alloc(0);
  const integrity = () => `sha512-${createHash("sha512").update(tarball).digest("base64")}`;

  beforeAll(async () => {
    const source = join(folder, "source");
    mkdirSync(join(source, "bin"), { recursive: true });
    const scripts = { postinstall: "node -e \"require('node:fs').writeFileSync('ran', '')\"" };
    const manifest = { name: "pnpm", version: "10.34.9", bin: { pnpm: "bin/pnpm.cjs" }, scripts };
    writeFileSync(join(source, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(source, "bin", "pnpm.cjs"), "#!/usr/bin/env node\n");
    execFileSync("npm", ["pack", "--pack-destination", folder], { cwd: source, stdio: "ignore" });
    tarball = readFileSync(join(folder, "pnpm-10.34.9.tgz"));
    server.on("request", ({ url = "" }, response) => {
      if (url.endsWith(".tgz")) return response.end(tarball);
      const dist = { tarball: `${registry}/pnpm/-/pnpm-10.34.9.tgz`, integrity: integrity() };
      const versions = { "10.34.9": { ...manifest, dist } };
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify({ name: "pnpm", "dist-tags": { latest: "10.34.9" }, versions }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    registry = `http://127.0.0.1:${address.port}`;
  });

  afterAll(() => void server.close());

  const install = async (name: string, wanted: string) => {
    const target = join(folder, name);
    const env = { ...process.env, npm_config_registry: registry, npm_config_cache: join(target, "cache") };
    const exitCode = await installPnpm({ version: "10.34.9", integrity: wanted }, target, {
      env,
      stdio: "ignore",
    });
    return { exitCode, program: join(target, "node_modules", "pnpm", "bin", "pnpm.cjs") };
  };

  it("unpacks the tarball whose hash is the pinned one, and runs no script of it", async () => {
    const { exitCode, program } = await install("right", integrity());
    expect(exitCode).toBe(0);
    expect(existsSync(program)).toBe(true);
    expect(existsSync(join(folder, "right", "node_modules", "pnpm", "ran"))).toBe(false);
    // Turbo finds pnpm by this link.
    expect(existsSync(join(folder, "right", "node_modules", ".bin", "pnpm"))).toBe(true);
  });

  it("unpacks no other one, though the registry vouches for it", async () => {
    const other = `sha512-${createHash("sha512").update("another").digest("base64")}`;
    const { exitCode, program } = await install("wrong", other);
    expect(exitCode).not.toBe(0);
    expect(existsSync(program)).toBe(false);
  });
});
