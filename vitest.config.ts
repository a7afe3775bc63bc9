import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The export condition under which siblings resolve to their sources, so that tests need no build. */
const conditions = ["@tinkex/source"];

const projects = ["packages", "apps", "tooling"].flatMap((group) =>
  readdirSync(new URL(group, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => ({
      name: entry.name,
      dir: fileURLToPath(new URL(`${group}/${entry.name}`, import.meta.url)),
    })),
);

/**
 * Packages whose test files share a process: half of their time went into loading the same modules again for each file. The others
 * change what belongs to a process, such as the backend of tfjs or threads of an engine.
 */
const SHARED_PROCESS = [
  "base",
  "types",
  "wire",
  "http",
  "tokenizer",
  "renderers",
  "client",
  "local",
  "recipes",
  "runs",
  "telemetry",
];

const ROOT = fileURLToPath(new URL(".", import.meta.url));
const MODULE_CACHE = fileURLToPath(new URL(".cache/vitest", import.meta.url));
const PROPERTY_SEED = fileURLToPath(new URL("tooling/workspace/property-seed.ts", import.meta.url));

/** Packages with property tests: each run of them has the same seeds (docs/decisions/035). */
const WITH_PROPERTIES = ["wire", "http", "tensor", "renderers", "client", "local", "tokenizer", "telemetry"];

export default defineConfig({
  test: {
    passWithNoTests: false,
    // The runner leaves one core free by itself, which on two cores is half of the machine.
    maxWorkers: "100%",
    // Used by `npm test` alone, which empties it first: what is kept says where imports led, and not why.
    experimental: { fsModuleCachePath: MODULE_CACHE },
    projects: projects.map(({ name, dir }) => ({
      resolve: { conditions },
      ssr: { resolve: { conditions, externalConditions: conditions } },
      test: {
        name,
        // One root for all, by which they share what was compiled.
        root: ROOT,
        dir,
        isolate: !SHARED_PROCESS.includes(name),
        ...(WITH_PROPERTIES.includes(name) && { setupFiles: [PROPERTY_SEED] }),
        // Those that run side by side are programs of one thread each: more of them than cores only take each other's caches.
        maxConcurrency: 2,
        include: ["src/**/*.test.ts", "test/**/*.test.ts", "*.test.ts"],
        // Real training and real processes on two busy cores take their time.
        testTimeout: 60_000,
        hookTimeout: 60_000,
      },
    })),
  },
});
