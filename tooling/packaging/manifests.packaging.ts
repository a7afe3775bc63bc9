import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { packedFiles } from "./packed-files.js";
import { publicPackages, REPOSITORY } from "./public-packages.js";

const HOME = "https://github.com/tinkex/tinkex";

/** Scripts that npm, or pnpm, runs on the machine of whoever installs a package. */
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "dependencies", "prepare"];

/** Where the links and images of a Markdown page lead, as written. */
function linksOf(markdown: string): readonly string[] {
  const targets = [/\]\(([^()\s]+)\)/g, /^\[[^\]]+\]: *(\S+)/gm, /(?:src|href)="([^"]+)"/g];
  return targets.flatMap((pattern) => [...markdown.matchAll(pattern)].map(([, target = ""]) => target));
}

describe.each(publicPackages)("$name as it will be published", ({ name, folder, unpacked }) => {
  const { files, text } = packedFiles({ unpacked });

  it("says where its sources are, and where to tell of faults", () => {
    const manifest = JSON.parse(text("package.json"));
    const directory = folder.slice(REPOSITORY.length + 1);
    expect(manifest.repository).toEqual({ type: "git", url: `git+${HOME}.git`, directory });
    expect(manifest.homepage).toBe(`${HOME}/tree/main/${directory}#readme`);
    expect(manifest.bugs).toBe(`${HOME}/issues`);
    expect(manifest.name).toBe(name);
  });

  it("runs nothing when it is installed", () => {
    const { scripts = {} } = JSON.parse(text("package.json"));
    expect(INSTALL_SCRIPTS.filter((script) => script in scripts)).toEqual([]);
    // Such a file alone makes npm run a compiler.
    expect(files).not.toContain("binding.gyp");
  });

  it("has pages whose links lead somewhere for who has the package alone", () => {
    const pages = files.filter((file) => file.endsWith(".md"));
    expect(pages).toContain("README.md");
    for (const page of pages) {
      const relative = linksOf(text(page)).filter((target) => !/^(?:https:|mailto:|#)/.test(target));
      const broken = relative.filter((target) => {
        const [path = ""] = target.split("#");
        return !files.includes(posix.join(posix.dirname(page), path));
      });
      expect(broken, page).toEqual([]);
    }
  });

  it("has no map whose sources it lacks, and names none", () => {
    expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
    for (const file of files.filter((file) => file.endsWith(".js")))
      expect(text(file), file).not.toContain("sourceMappingURL=");
  });
});

it("the check of links finds them however they are written", () => {
  const page = '[a](../b.md#c) ![d](e.png)\n[f]: ../../g\n<a href="h">i</a> [j](https://k)';
  expect(linksOf(page)).toEqual(["../b.md#c", "e.png", "https://k", "../../g", "h"]);
});
