import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { installationObstacle } from "./installation-obstacle.mjs";

const root = { env: {}, args: [], platform: "linux", isRoot: true };

describe("installationObstacle", () => {
  it.each([{ CI: "true" }, { CI: "1" }, { CI: "woodpecker" }])(
    "is none for root of a machine with %o",
    (env) => {
      expect(installationObstacle({ ...root, env })).toBeUndefined();
    },
  );

  it("is none for root who asks for it", () => {
    expect(installationObstacle({ ...root, args: ["--install"] })).toBeUndefined();
  });

  it.each([{}, { CI: "" }, { CI: "false" }, { CI: "0" }])(
    "is that nobody asked, for root of a developer's machine (%o)",
    (env) => {
      expect(installationObstacle({ ...root, env })).toContain("install-chromium.mjs --install");
    },
  );

  it.each([
    [{ env: { CHROMIUM_PATH: "/opt/none" } }, "CHROMIUM_PATH names /opt/none"],
    [{ platform: "darwin" }, "only Debian's apt-get is tried"],
    [{ isRoot: false }, "apt-get needs root"],
  ])("is another one even for who asks (%o)", (machine, words) => {
    expect(installationObstacle({ ...root, args: ["--install"], ...machine })).toContain(words);
  });
});

describe("the script, with an apt-get that writes down its calls", () => {
  const script = join(import.meta.dirname, "install-chromium.mjs");

  function run(args: readonly string[], env: Readonly<Record<string, string>>) {
    const folder = temporaryDirectory();
    const calls = join(folder, "calls");
    writeFileSync(join(folder, "apt-get"), `#!/bin/sh\necho "$@" >> "${calls}"\n`);
    chmodSync(join(folder, "apt-get"), 0o755);
    // A program that pretends that no browser is here, whatever this machine has.
    const noBrowser = `data:text/javascript,${encodeURIComponent(
      'import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module"; const real = fs.existsSync; fs.existsSync = (path) => !/chrom/i.test(String(path)) && real(path); syncBuiltinESMExports();',
    )}`;
    const { stdout, status } = spawnSync(process.execPath, ["--import", noBrowser, script, ...args], {
      encoding: "utf8",
      env: { PATH: folder, ...env },
    });
    return { stdout, status, calls: existsSync(calls) ? readFileSync(calls, "utf8") : "" };
  }

  it("calls nothing unasked, and says what would be needed", () => {
    const { stdout, status, calls } = run([], {});
    expect(calls).toBe("");
    expect(stdout).toContain("install-chromium.mjs --install");
    expect(status).toBe(0);
  });

  it.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
    "calls apt-get for CI, and for who asks",
    () => {
      for (const { calls } of [run([], { CI: "true" }), run(["--install"], {})])
        expect(calls.trim().split("\n").at(-1)).toBe("install -y -qq --no-install-recommends chromium");
    },
  );
});
