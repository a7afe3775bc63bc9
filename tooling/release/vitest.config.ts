import { defineConfig } from "vitest/config";

// Its own run, apart from `npm test`: it packs every package, publishes them to a registry here and installs them from there.
export default defineConfig({
  test: {
    name: "release",
    root: import.meta.dirname,
    include: ["*.rehearsal.ts"],
    globalSetup: ["../packaging/pack-all.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 3,
  },
});
