import { defineConfig } from "vitest/config";

// Run by `pnpm test:bundlers` alone: it installs four bundlers and Next.js from the registry, some 500 MB.
export default defineConfig({
  test: {
    name: "bundlers",
    root: import.meta.dirname,
    include: ["bundlers/*.bundlers.ts"],
    globalSetup: ["./pack-all.ts"],
    testTimeout: 300_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
