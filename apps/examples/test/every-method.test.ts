import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AdminCalls,
  AdminClient,
  ApiFuture,
  RestCalls,
  RestClient,
  SamplingClient,
  ServiceClient,
  TrainingClient,
} from "tinkex";
import { describe, expect, it } from "vitest";

const SOURCES = join(import.meta.dirname, "..", "src");
const programs = readdirSync(SOURCES)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(SOURCES, name), "utf8"));

/** Expressions that make a client of each class, in a declaration of its variable or parameter. */
const CLIENTS: readonly {
  readonly type: { readonly name: string; readonly prototype: object };
  readonly made: RegExp;
  readonly own?: readonly string[];
}[] = [
  { type: ServiceClient, made: /\b(\w+) = new ServiceClient\b/g },
  {
    type: TrainingClient,
    made: /\b(\w+) = await service\.create(?:LoraTrainingClient|TrainingClientFromState)|\b(\w+): TrainingClient\b/g,
  },
  {
    type: SamplingClient,
    made: /\b(\w+) = await \w+\.(?:createSamplingClient|saveWeightsAndGetSamplingClient)\b|\b(\w+): SamplingClient\b/g,
  },
  { type: RestCalls, made: /\bconst \{ (rest), admin \} = service\b/g },
  { type: AdminCalls, made: /\bconst \{ rest, (admin) \} = service\b/g },
  // Their methods are those of the two above; ending them is their own.
  { type: RestClient, made: /\b(\w+) = new RestClient\b/g, own: ["close"] },
  { type: AdminClient, made: /\b(\w+) = new AdminClient\b/g, own: ["close"] },
];

/** Members that a user sees; `then` is what `await` calls. */
const membersOf = (type: { readonly prototype: object }) =>
  Object.getOwnPropertyNames(type.prototype).filter((name) => name !== "constructor" && name !== "then");

/** Members of a client's class and of those that it extends. */
function membersOfClient({ type, own }: (typeof CLIENTS)[number]): readonly string[] {
  if (own !== undefined) return own;
  const names: string[] = [];
  for (let each: object = type.prototype; each !== Object.prototype; each = Object.getPrototypeOf(each)) {
    names.push(...membersOf({ prototype: each }));
  }
  return names;
}

/** Gives the members of a client that no program uses on a variable of its class: clients share some names. */
function unusedMembers(client: (typeof CLIENTS)[number], sources: readonly string[]): string[] {
  const used = new Set<string>();
  for (const source of sources) {
    const variables = new Set([...source.matchAll(client.made)].map(([, first, second]) => first ?? second));
    for (const [, variable, member] of source.matchAll(/\b(\w+)\.(\w+)\b/g)) {
      if (variables.has(variable)) used.add(member ?? "");
    }
  }
  return membersOfClient(client).filter((name) => !used.has(name));
}

describe("the examples", () => {
  it.each(CLIENTS)("use every member of $type.name, on a client of that class", (client) => {
    expect(membersOfClient(client).length).toBeGreaterThan(0);
    expect(membersOfClient(client)).toContain(
      client.type === AdminCalls ? "getAuditLog" : client.type === RestCalls ? "prune" : "close",
    );
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
    ["rest.prune", "prune"],
    ["admin.getAuditLog", "getAuditLog"],
  ])("without %s would be told that %s is missing", (use, missing) => {
    const without = programs.map((source) =>
      source.replaceAll(use, "other.method").replaceAll("base.", "other."),
    );
    expect(CLIENTS.flatMap((client) => unusedMembers(client, without))).toContain(missing);
  });
});
