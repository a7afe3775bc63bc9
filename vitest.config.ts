import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** The export condition under which siblings resolve to their sources, so that tests need no build. */
const conditions = ["@tinkex/source"];

const projects = ["packages", "apps", "tooling"].flatMap((group) =>
  readdirSync(new URL(group, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => ({ name: entry.name, root: `${group}/${entry.name}` })),
);

export default defineConfig({
  test: {
    passWithNoTests: false,
    projects: projects.map(({ name, root }) => ({
      resolve: { conditions },
      ssr: { resolve: { conditions, externalConditions: conditions } },
      test: {
        name,
        root,
        include: ["src/**/*.test.ts", "test/**/*.test.ts", "*.test.ts"],
        // Real training and real processes on two busy cores take their time.
        testTimeout: 60_000,
        hookTimeout: 60_000,
      },
    })),
  },
});
