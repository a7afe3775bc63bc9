import { defineConfig } from "vitest/config";

// Its own run, apart from `npm test`: it packs every package and installs the tarballs in empty folders.
export default defineConfig({
  test: {
    name: "packaging",
    root: import.meta.dirname,
    include: ["*.packaging.ts"],
    globalSetup: ["./pack-all.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 3,
  },
});
