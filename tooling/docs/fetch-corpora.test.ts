import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "./snippets.js";

const SCRIPT = join(REPOSITORY, "tooling", "base-model", "fetch-corpora.sh");
const PACKAGES = ["scowl", "wordnet-base", "r-cran-janeaustenr"];

// Debian's packages come from the network, which tests do without: an `apt-get` of ours hands out packages that the real
// dpkg-deb made, and the script unpacks them with the real dpkg-deb.
const hasDpkg = spawnSync("dpkg-deb", ["--version"]).status === 0;

describe.skipIf(!hasDpkg)("the script that fetches the training text of the built-in model", () => {
  const folder = mkdtempSync(join(tmpdir(), "tinkex-corpora-"));
  const shelf = join(folder, "shelf");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(() => {
    mkdirSync(shelf);
    for (const name of PACKAGES) {
      const content = join(folder, name);
      mkdirSync(join(content, "DEBIAN"), { recursive: true });
      mkdirSync(join(content, "usr", "share", name), { recursive: true });
      writeFileSync(
        join(content, "DEBIAN", "control"),
        `Package: ${name}\nVersion: 1:1.0-1\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: ${name}\n`,
      );
      writeFileSync(join(content, "usr", "share", name, "text"), `the text of ${name}\n`);
      execFileSync("dpkg-deb", ["--build", content, join(shelf, `${name}_1%3a1.0-1_all.deb`)]);
    }
    mkdirSync(join(folder, "bin"));
    const aptGet = join(folder, "bin", "apt-get");
    writeFileSync(
      aptGet,
      `#!/bin/sh\nset -eu\n[ "$1" = download ]\nshift\nfor name; do cp "${shelf}/$name"_*.deb .; done\n`,
    );
    chmodSync(aptGet, 0o755);
  });

  const fetchInto = (target: string, from: string) => {
    mkdirSync(from, { recursive: true });
    return spawnSync("sh", [SCRIPT, target], {
      cwd: from,
      encoding: "utf8",
      env: { ...process.env, PATH: `${join(folder, "bin")}:${process.env.PATH}` },
    });
  };

  it.each([
    ["as its page calls it", ".cache", ".cache"],
    ["into a folder of a folder that is not there yet", "a/b", "a/b"],
    ["into a path above", "../sideways", "../sideways"],
    ["with a space in its name", "my text", "my text"],
    ["with a leading hyphen", "-text", "-text"],
  ])("unpacks all three packages %s", (title, target, place) => {
    const from = join(folder, "run", title);
    const { status, stderr } = fetchInto(target, from);
    expect(status, stderr).toBe(0);
    for (const name of PACKAGES) {
      const text = join(from, place, "root", "usr", "share", name, "text");
      expect(readFileSync(text, "utf8")).toBe(`the text of ${name}\n`);
    }
  });

  it("unpacks into an absolute path, and again into the same one", () => {
    const target = join(folder, "absolute");
    for (let turn = 0; turn < 2; turn++) {
      const { status, stderr } = fetchInto(target, join(folder, "elsewhere"));
      expect(status, stderr).toBe(0);
    }
    expect(readFileSync(join(target, "root", "usr", "share", "scowl", "text"), "utf8")).toBe(
      "the text of scowl\n",
    );
  });

  it("says how to call it when no folder is named", () => {
    const { status, stderr } = spawnSync("sh", [SCRIPT], { encoding: "utf8" });
    expect(status).not.toBe(0);
    expect(stderr).toContain("usage: fetch-corpora.sh DIR");
  });
});
