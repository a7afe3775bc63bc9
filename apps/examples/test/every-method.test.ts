import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiFuture, SamplingClient, ServiceClient, TrainingClient } from "tinkex";
import { describe, expect, it } from "vitest";

const SOURCES = join(import.meta.dirname, "..", "src");
const programs = readdirSync(SOURCES)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(SOURCES, name), "utf8"));

/** Expressions that make a client of each class, in a declaration of its variable or parameter. */
const CLIENTS = [
  { type: ServiceClient, made: /\b(\w+) = new ServiceClient\b/g },
  {
    type: TrainingClient,
    made: /\b(\w+) = await service\.create(?:LoraTrainingClient|TrainingClientFromState)|\b(\w+): TrainingClient\b/g,
  },
  {
    type: SamplingClient,
    made: /\b(\w+) = await \w+\.(?:createSamplingClient|saveWeightsAndGetSamplingClient)\b|\b(\w+): SamplingClient\b/g,
  },
];

/** Members that a user sees; `then` is what `await` calls. */
const membersOf = (type: { readonly prototype: object }) =>
  Object.getOwnPropertyNames(type.prototype).filter((name) => name !== "constructor" && name !== "then");

/** Gives the members of a client that no program uses on a variable of its class: clients share some names. */
function unusedMembers({ type, made }: (typeof CLIENTS)[number], sources: readonly string[]): string[] {
  const used = new Set<string>();
  for (const source of sources) {
    const variables = new Set([...source.matchAll(made)].map(([, first, second]) => first ?? second));
    for (const [, variable, member] of source.matchAll(/\b(\w+)\.(\w+)\b/g)) {
      if (variables.has(variable)) used.add(member ?? "");
    }
  }
  return membersOf(type).filter((name) => !used.has(name));
}

describe("the examples", () => {
  it.each(CLIENTS)("use every member of $type.name, on a client of that class", (client) => {
    expect(membersOf(client.type).length).toBeGreaterThan(5);
    expect(unusedMembers(client, programs)).toEqual([]);
  });

  it("use every member of futures", () => {
    const text = programs.join("\n");
    expect(membersOf(ApiFuture).filter((name) => !new RegExp(`\\.${name}\\b`).test(text))).toEqual([]);
  });

  it.each([
    ["service.connect", "connect"],
    ["training.createSamplingClient", "createSamplingClient"],
    ["sampler.computeLogprobs", "computeLogprobs"],
    ["sampler.close", "close"],
  ])("without %s would be told that %s is missing", (use, missing) => {
    const without = programs.map((source) =>
      source.replaceAll(use, "other.method").replaceAll("base.", "other."),
    );
    expect(CLIENTS.flatMap((client) => unusedMembers(client, without))).toContain(missing);
  });
});
