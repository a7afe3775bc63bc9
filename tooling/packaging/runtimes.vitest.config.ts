import { defineConfig } from "vitest/config";

// Run by `pnpm test:runtimes` alone: it installs Bun, Deno and workerd from the registry, some 500 MB.
export default defineConfig({
  test: {
    name: "runtimes",
    root: import.meta.dirname,
    include: ["runtimes/*.runtimes.ts"],
    globalSetup: ["./pack-all.ts"],
    testTimeout: 300_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
