import { defineConfig } from "vitest/config";

const conditions = ["@tinkex/source"];

// Run by `pnpm test:servers` alone: it installs servers that others wrote, some 2.5 GB, and they take minutes.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    name: "servers",
    root: import.meta.dirname,
    include: ["servers/*.servers.ts"],
    globalSetup: ["./servers/install-servers.ts"],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    // Each takes 1.1 GB.
    fileParallelism: false,
    disableConsoleIntercept: true,
    reporters: ["verbose"],
  },
});
