import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { TinkexError } from "@tinkex/base";
import { createTransport } from "@tinkex/http";
import { loadTokenizer } from "@tinkex/tokenizer/node";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterAll, describe, expect, it } from "vitest";
import { clientCalls } from "./calls/client.js";
import { engineCalls } from "./calls/engine.js";
import { httpCalls } from "./calls/http.js";
import { localCalls, localTestingCalls } from "./calls/local.js";
import { lossGraphCalls } from "./calls/loss-graph.js";
import { recipesCalls } from "./calls/recipes.js";
import { renderersCalls } from "./calls/renderers.js";
import { runsCalls } from "./calls/runs.js";
import { telemetryCalls } from "./calls/telemetry.js";
import { tensorCalls } from "./calls/tensor.js";
import { tfjsCalls } from "./calls/tfjs.js";
import { tokenizerCalls } from "./calls/tokenizer.js";
import { descriptionsCalls, typesCalls } from "./calls/types.js";
import { wireCalls } from "./calls/wire.js";
import { spoil, TrapError, whole } from "./hostile-values.js";
import { NOT_CALLED } from "./not-called.js";
import { openClients } from "./open-clients.js";
import type { PublicCall, PublicCalls } from "./public-call.js";
import { TAKES_ANY_FIELD } from "./takes-any-field.js";

// buildonspark/spark#42, vechain/vechain-sdk-js#1557: a bigint ends in a TypeError within the message of the very error that was to name it.
// Some calls take paths, and a wrong one may be relative: all of them lie in a folder that goes.
const home = temporaryDirectory();
const startedIn = process.cwd();
process.chdir(home);
process.env.HF_HUB_OFFLINE = "1";
process.env.HF_HOME = home;
// Servers that are started with whatever argument, and not closed, keep their data there.
process.env.TMPDIR = home;
afterAll(() => process.chdir(startedIn));

const TINY = fileURLToPath(new URL("../../packages/tokenizer/fixtures/tiny", import.meta.url));
const CHATS = join(home, "chats.jsonl");
const messages = ["user", "assistant"].map((role) => ({ role, content: "hi" }));
writeFileSync(CHATS, `${JSON.stringify({ messages })}\n`);
const tokenizer = whole(await loadTokenizer(TINY));
const { service, training, sampler } = await openClients();
afterAll(() => service.close());

const CALLS: Readonly<Record<string, PublicCalls>> = {
  "@tinkex/types": typesCalls,
  "@tinkex/types/descriptions": descriptionsCalls,
  "@tinkex/tensor": tensorCalls,
  "@tinkex/tensor/loss-graph": lossGraphCalls,
  "@tinkex/tensor/tfjs": tfjsCalls,
  "@tinkex/wire": wireCalls,
  "@tinkex/http": httpCalls(home, createTransport({ baseUrl: "http://127.0.0.1:9" })),
  "@tinkex/tokenizer": tokenizerCalls(
    tokenizer,
    () => ({ tokenizer: JSON.parse(readFileSync(join(TINY, "tokenizer.json"), "utf8")) }),
    TINY,
  ),
  "@tinkex/renderers": renderersCalls(tokenizer),
  "@tinkex/recipes": recipesCalls(tokenizer, service, CHATS),
  "@tinkex/runs": runsCalls(join(home, "runs")),
  "@tinkex/client": clientCalls(service, training, sampler),
  "@tinkex/local": localCalls(join(home, "data")),
  "@tinkex/local/engine": engineCalls,
  "@tinkex/local/testing": localTestingCalls(join(home, "tested-data")),
  "@tinkex/telemetry": telemetryCalls,
};

/**
 * Longest wait for a call that does not end by itself, such as one that tries a closed port again and again. `TINKEX_ARGUMENTS_WAIT_MS`
 * gives a longer one, for faults that show later than that: on a faster machine they would show here.
 */
const MAX_WAIT_MS = Number(process.env.TINKEX_ARGUMENTS_WAIT_MS ?? 20);

/** Words of the engine where a value was used before it was looked at. */
const ENGINE_WORDS =
  /Cannot (read|convert|destructure|perform|use|mix)|is not (a function|iterable|a constructor)|Maximum call stack/;

/** Gives what is wrong with the way in which a call took its arguments; `undefined` for a result, a refusal, or work that goes on. */
async function fault(run: PublicCall["run"], args: readonly unknown[]): Promise<string | undefined> {
  try {
    // A call takes arguments of any kind here, which is the point.
    await Promise.race([run(...(args as never[])), setTimeout(MAX_WAIT_MS)]);
    return undefined;
  } catch (error) {
    if (error instanceof TrapError) return undefined;
    if (!(error instanceof TinkexError)) return `${error}`;
    return ENGINE_WORDS.test(error.message) ? error.message : undefined;
  }
}

/** Gives the message of a ValidationError, as good arguments do not get it. */
async function refusal(run: PublicCall["run"], args: readonly unknown[]): Promise<string | undefined> {
  try {
    await Promise.race([run(...(args as never[])), setTimeout(MAX_WAIT_MS)]);
    return undefined;
  } catch (error) {
    return error instanceof TinkexError && error.code !== "validation_failed" ? undefined : `${error}`;
  }
}

/** The entry that each value comes from: some pass on what a package below them makes. */
const firstEntryOf = new Map<unknown, string>();
for (const entry of Object.keys(CALLS)) {
  for (const value of Object.values(await import(entry))) {
    if (!firstEntryOf.has(value)) firstEntryOf.set(value, entry);
  }
}

describe.each(Object.entries(CALLS))("%s", (entry, calls) => {
  it("has every public function in the table of calls, or a reason why not", async () => {
    const exported: Readonly<Record<string, unknown>> = await import(entry);
    const called = Object.keys(calls).map((name) => name.split(/[. ]/)[0]);
    const missing = Object.entries(exported)
      .filter(([, value]) => isCallable(value) && firstEntryOf.get(value) === entry)
      .map(([name]) => name)
      .filter((name) => !called.includes(name) && !(`${entry} ${name}` in NOT_CALLED));
    expect(missing).toEqual([]);
  });

  it.each(Object.entries(calls))("%s refuses or takes anything as any argument", async (_, { run, good }) => {
    expect(await refusal(run, good())).toBeUndefined();
    const faults: string[] = [];
    for (const { title, make } of spoil(good)) {
      const found = await fault(run, make());
      if (found !== undefined) faults.push(`${title}: ${found}`);
    }
    expect(faults).toEqual([]);
  });

  const withOptions = Object.entries(calls).filter(([, { good }]) => isPlain(good().at(-1)));
  it.each(withOptions)("%s refuses an option that it does not know", async (name, { run, good }) => {
    const args = good();
    const misspelt = [...args.slice(0, -1), { ...(args.at(-1) as object), misspeltOption: 1 }];
    const message = String(await refusal(run, misspelt));
    const wanted = /^ValidationError: .*unknown field "misspeltOption"/;
    if (`${entry} ${name}` in TAKES_ANY_FIELD) expect(message).not.toMatch(wanted);
    else expect(message).toMatch(wanted);
  });
});

/** A record that was written as a literal, such as options. */
function isPlain(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A function, or a companion of a record such as `ModelInput`; no class of errors, and no schema, which has its library's methods. */
function isCallable(value: unknown): boolean {
  if (typeof value === "function") return !(value.prototype instanceof Error);
  if (typeof value !== "object" || value === null || "~standard" in value) return false;
  return Object.values(value).some((member) => typeof member === "function");
}
