import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { publicPackages, REPOSITORY } from "./public-packages.js";
import { run } from "./run.js";

const program = (name: string): string => join(REPOSITORY, "node_modules", ".bin", name);

describe.each(publicPackages)("$name as it will be published", ({ tarball }) => {
  it("has nothing publint complains of", async () => {
    const { exitCode, output } = await run(program("publint"), ["run", tarball, "--strict"], {
      cwd: REPOSITORY,
    });
    expect(exitCode, output).toBe(0);
  });

  it("resolves its types for ESM importers", async () => {
    const { exitCode, output } = await run(
      program("attw"),
      [tarball, "--profile", "esm-only", "--no-emoji"],
      {
        cwd: REPOSITORY,
      },
    );
    expect(exitCode, output).toBe(0);
  });

  it("ships no sources, tests or fixtures", async () => {
    const { output } = await run("tar", ["-tzf", tarball], { cwd: REPOSITORY });
    const files = output.trim().split("\n");
    expect(files).toContain("package/README.md");
    expect(files).toContain("package/LICENSE");
    expect(files.filter((file) => /\.test\.|fixtures|^package\/src\//.test(file))).toEqual([]);
  });

  it("declares nothing by types of a schema library", async () => {
    const { exitCode, output } = await run("tar", ["-xOzf", tarball, "--wildcards", "package/dist/*.d.ts"], {
      cwd: REPOSITORY,
    });
    expect(exitCode, output).toBe(0);
    expect(output).toContain("export ");
    expect(output.match(/.*["'](?:zod|@zod)\b.*/g) ?? []).toEqual([]);
  });
});
