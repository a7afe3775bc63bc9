import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { Dice } from "../testing/fuzz/dice.js";
import { mutateBytes } from "../testing/fuzz/mutate-bytes.js";
import { mutateJson } from "../testing/fuzz/mutate-json.js";
import { checkGraphSize, checkRotaryTables } from "./check-model-size.js";
import { openModelWeights } from "./model-weights.js";
import { readDecoder } from "./read-decoder.js";
import { readModelConfig } from "./read-model-config.js";
import { weightShapes } from "./weight-shapes.js";

/** A tenth of the requests of a campaign; some dozens in every run. */
const cases = Math.ceil(Number(process.env.FUZZ_CASES ?? 1_500) / 10);
const seed = Number(process.env.FUZZ_SEED ?? 20_261_128);
/** Only the campaign, which runs alone, judges by time and memory. */
const isCampaign = process.env.FUZZ_CASES !== undefined;

const tiny = new URL("../../fixtures/numerics/models/tiny-llama", import.meta.url).pathname;
const directory = temporaryDirectory();

const file = (name: string) => join(directory, name);
const original = (name: string) => readFileSync(join(tiny, name));
const weights = original("model.safetensors");
const headerLength = Number(weights.readBigUInt64LE());
const header = weights.subarray(8, 8 + headerLength).toString();
const names = Object.keys(JSON.parse(header)).filter((name) => name !== "__metadata__");
const index = JSON.stringify({
  weight_map: Object.fromEntries(names.map((name) => [name, "model.safetensors"])),
});

/** A safetensors file of this header and the data of the model. */
function withHeader(json: string, statedLength = Buffer.byteLength(json)): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(statedLength));
  return Buffer.concat([length, Buffer.from(json), weights.subarray(8 + headerLength)]);
}

/** Changes one file of the model, and returns its name. */
function spoil(dice: Dice): string {
  const [name, content] = dice.of<() => readonly [string, Uint8Array | string]>([
    () => ["config.json", mutateJson(original("config.json").toString(), dice)],
    () => ["config.json", mutateBytes(original("config.json"), dice)],
    () => ["generation_config.json", mutateJson(original("generation_config.json").toString(), dice)],
    () => ["model.safetensors", withHeader(mutateJson(header, dice))],
    () => [
      "model.safetensors",
      withHeader(header, dice.of([0, 1, headerLength - 1, headerLength + 8, 2 ** 40])),
    ],
    () => [
      "model.safetensors",
      Buffer.concat([
        mutateBytes(weights.subarray(0, 8 + headerLength), dice),
        weights.subarray(8 + headerLength),
      ]),
    ],
    () => ["model.safetensors", weights.subarray(0, dice.below(weights.length))],
    () => ["model.safetensors.index.json", mutateJson(index, dice)],
    () => ["tokenizer.json", mutateJson(original("tokenizer.json").toString(), dice)],
    () => ["tokenizer.json", mutateBytes(original("tokenizer.json"), dice)],
    () => ["tokenizer_config.json", mutateJson(original("tokenizer_config.json").toString(), dice)],
  ])();
  writeFileSync(file(name), content);
  return name;
}

/** Reads all that an engine reads. */
function openModel(): void {
  const config = readModelConfig(directory);
  checkRotaryTables(config, directory);
  checkGraphSize(config, directory);
  const opened = openModelWeights(directory, config);
  for (const name of weightShapes(config).keys()) opened.get(name);
  opened.close();
  readDecoder(directory)([0, 1, 2, 300, 383, 384, 9_999]);
}

describe("model directories of any content", () => {
  it(
    "are opened or refused with a ValidationError, soon and in little memory",
    async () => {
      const dice = new Dice(seed, "models");
      const outcomes: Record<string, number> = {};
      let slowestMs = 0;
      let leastRss = Number.POSITIVE_INFINITY;
      let grownBytes = 0;
      cpSync(tiny, directory, { recursive: true });
      openModel();
      for (let done = 0; done < cases; done++) {
        const name = spoil(dice);
        const startedAt = performance.now();
        let outcome = "opened";
        try {
          openModel();
        } catch (error) {
          outcome = "refused";
          if (!(error instanceof ValidationError)) {
            const content = readFileSync(file(name)).toString("latin1").slice(0, 2_000);
            throw new Error(`case ${done}, ${name}: ${String(error)}\n${content}`, { cause: error });
          }
          expect(error.message.length).toBeLessThan(10_000);
        }
        slowestMs = Math.max(slowestMs, performance.now() - startedAt);
        const { rss } = process.memoryUsage();
        if (done > 200) leastRss = Math.min(leastRss, rss);
        grownBytes = Math.max(grownBytes, rss - leastRss);
        outcomes[`${name} ${outcome}`] = (outcomes[`${name} ${outcome}`] ?? 0) + 1;
        // What a weak reference was asked for stays until the end of the turn.
        await new Promise(setImmediate);
        rmSync(file(name));
        if (name !== "model.safetensors.index.json") cpSync(join(tiny, name), file(name));
      }
      console.log(
        `${cases} models, seed ${seed}: ${JSON.stringify({ ...outcomes, slowestMs, grownMiB: grownBytes / 2 ** 20 })}`,
      );
      if (isCampaign) {
        expect(slowestMs).toBeLessThan(1_000);
        expect(grownBytes).toBeLessThan(10 * weights.length + 64 * 2 ** 20);
      }
    },
    60_000 + cases * 200,
  );
});
