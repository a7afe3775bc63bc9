import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiFuture, SamplingClient, ServiceClient, TrainingClient } from "tinkex";
import { expect, it } from "vitest";

const SOURCES = join(import.meta.dirname, "..", "src");
const sources = readdirSync(SOURCES)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(SOURCES, name), "utf8"))
  .join("\n");

it.each([ServiceClient, TrainingClient, SamplingClient, ApiFuture])(
  "the examples use every member of %o",
  (type) => {
    const members = Object.getOwnPropertyNames(type.prototype).filter(
      (name) => name !== "constructor" && name !== "then",
    );
    expect(members.length).toBeGreaterThan(2);
    expect(members.filter((name) => !new RegExp(`\\.${name}\\b`).test(sources))).toEqual([]);
  },
);
