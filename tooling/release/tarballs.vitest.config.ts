import { defineConfig } from "vitest/config";
import packaging from "../packaging/vitest.config.js";
import { LongestFirst } from "./longest-first.js";
import release from "./vitest.config.js";

// Run by `.ci/run`: both kinds of tests on one set of tarballs, so that the one long file of the rehearsal leaves no core idle.
export default defineConfig({
  test: {
    globalSetup: ["../packaging/pack-all.ts"],
    root: import.meta.dirname,
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [packaging, release].map(({ test }) => ({
      test: { ...test, globalSetup: [] },
    })),
  },
});
