import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { checkGraphSize, checkRotaryTables } from "./check-model-size.js";
import { openModelWeights } from "./model-weights.js";
import { readDecoder } from "./read-decoder.js";
import { readModelConfig } from "./read-model-config.js";

const tiny = new URL("../../fixtures/numerics/models/tiny-llama", import.meta.url).pathname;

let directory = "";
beforeEach(() => {
  directory = temporaryDirectory();
  cpSync(tiny, directory, { recursive: true });
});

const path = (name: string) => join(directory, name);
const read = (name: string) => JSON.parse(readFileSync(path(name), "utf8"));

/** The message of what is thrown, which must be a ValidationError; nothing long goes with it. */
function refusal(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError);
    const { message } = error instanceof Error ? error : new Error();
    expect(message.length).toBeLessThan(4_000);
    return message;
  }
  throw new Error("nothing was thrown");
}

describe("config.json", () => {
  const open = () => {
    const config = readModelConfig(directory);
    checkRotaryTables(config, directory);
    checkGraphSize(config, directory);
  };

  it.each([
    ["num_hidden_layers", "1e9"],
    ["num_hidden_layers", "3e6"],
    ["num_hidden_layers", "1e999"],
    ["num_hidden_layers", "-1"],
    ["num_hidden_layers", "0"],
    ["num_hidden_layers", "2.5"],
    ["num_hidden_layers", '"2"'],
    ["num_hidden_layers", "null"],
    ["hidden_size", "1e15"],
    ["intermediate_size", "9007199254740991"],
    ["vocab_size", "1e12"],
    ["vocab_size", "[384]"],
    ["num_attention_heads", "1e6"],
    ["num_key_value_heads", "1e9"],
    ["head_dim", "1e9"],
    ["head_dim", "-16"],
    ["max_position_embeddings", "1e9"],
    ["rms_norm_eps", "-1"],
    ["rope_theta", "0"],
    ["rope_theta", "1e300"],
    ["eos_token_id", `[${new Array(100_000).fill(1.5).join()}]`],
    ["eos_token_id", `[${new Array(100_000).fill(1).join()}]`],
    [
      "rope_scaling",
      '{"rope_type":"llama3","factor":0,"low_freq_factor":1,"high_freq_factor":4,"original_max_position_embeddings":64}',
    ],
    ["rope_scaling", `{"rope_type":"${"x".repeat(100_000)}"}`],
    ["model_type", `"${"x".repeat(100_000)}"`],
  ])("is refused by the name of %s: %.40s", (field, value) => {
    const fields = { ...read("config.json"), [field]: "HERE" };
    writeFileSync(path("config.json"), JSON.stringify(fields).replace('"HERE"', value));
    expect(refusal(open)).toContain(
      field === "rope_scaling" && value.includes("xxx") ? "rotary scaling" : field,
    );
  });

  it("is refused for a blend of rotary frequencies that divides by zero", () => {
    const rope_scaling = {
      rope_type: "llama3",
      factor: 8,
      low_freq_factor: 4,
      high_freq_factor: 4,
      original_max_position_embeddings: 64,
    };
    writeFileSync(path("config.json"), JSON.stringify({ ...read("config.json"), rope_scaling }));
    expect(refusal(open)).toContain("high_freq_factor must be above low_freq_factor 4, got 4");
  });

  it("is refused for heads of an odd size", () => {
    writeFileSync(path("config.json"), JSON.stringify({ ...read("config.json"), head_dim: 15 }));
    expect(refusal(open)).toContain("must be even, got 15");
  });

  it("is refused for rotary tables out of proportion to the model", () => {
    const fields = { ...read("config.json"), max_position_embeddings: 2 ** 20, head_dim: 2 ** 12 };
    writeFileSync(path("config.json"), JSON.stringify(fields));
    expect(refusal(open)).toMatch(/max_position_embeddings 1048576 with heads of 4096/);
  });

  it.each([
    ["ten megabytes of [", "[".repeat(10_000_000), /bytes, of at most/],
    ["deep lists", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /more than 64 levels/],
    ["NaN", '{"num_hidden_layers":NaN}', /cannot read/],
    ["nothing", "", /cannot read/],
    ["a list", "[]", /not as expected/],
  ])("is refused when it holds %s", (_, text, message) => {
    writeFileSync(path("config.json"), text);
    expect(refusal(open)).toMatch(message);
  });

  it.skipIf(process.platform === "win32")("is refused when it is a pipe, a device or a folder", () => {
    rmSync(path("config.json"));
    execFileSync("mkfifo", [path("config.json")]);
    expect(refusal(open)).toContain("must be a regular file");
    rmSync(path("config.json"));
    symlinkSync("/dev/zero", path("config.json"));
    expect(refusal(open)).toContain("must be a regular file");
    rmSync(path("config.json"));
    symlinkSync(directory, path("config.json"));
    expect(refusal(open)).toContain("must be a regular file");
  });

  it.skipIf(process.platform === "win32")(
    "is read through a link, as the cache of the hub lays it out",
    () => {
      rmSync(path("config.json"));
      symlinkSync(join(tiny, "config.json"), path("config.json"));
      expect(open).not.toThrow();
    },
  );
});

describe("the index of shards", () => {
  const open = () => openModelWeights(directory, readModelConfig(directory));
  const write = (weight_map: unknown) =>
    writeFileSync(path("model.safetensors.index.json"), JSON.stringify({ weight_map }));

  it.each([
    ["a file elsewhere", { a: "../x.safetensors" }, /must be a file of the same directory/],
    ["the folder above", { a: ".." }, /must be a regular file/],
    ["the folder itself", { a: "" }, /must be a regular file/],
    ["a name with a zero byte", { a: "model\0.safetensors" }, /cannot open/],
    ["no names", Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`t${i}`, i])), /weight_map/],
    ["a list", ["model.safetensors"], /weight_map/],
  ])("is refused when it names %s", (_, weightMap, message) => {
    write(weightMap);
    expect(refusal(open)).toMatch(message);
  });

  it("is refused when it names thousands of files", () => {
    for (let index = 0; index <= 1000; index++) symlinkSync("model.safetensors", path(`shard-${index}`));
    write(Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`t${index}`, `shard-${index}`])));
    expect(refusal(open)).toContain("more than 1000 files");
  });
});

describe("tokenizer.json", () => {
  const decoder = () => readDecoder(directory);

  it("is read for what it is", () => {
    expect(decoder()([282, 270])).toEqual(expect.any(String));
  });

  it.each([
    ["deep lists", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /more than 64 levels/],
    ["ten megabytes of [", "[".repeat(10_000_000), /more than 64 levels/],
    ["ten million empty objects", `[${new Array(10_000_000).fill("{}").join()}]`, /bytes of memory/],
    ["no tokenizer", "[]", /./],
    [
      "an object that cannot be shown, for a step",
      JSON.stringify({
        ...JSON.parse(readFileSync(join(tiny, "tokenizer.json"), "utf8")),
        pre_tokenizer: {
          type: "Split",
          pattern: { Regex: { toString: 1, valueOf: 2 } },
          behavior: { toString: 1, valueOf: 2 },
        },
      }),
      /tokenizer/,
    ],
    ["half of one", '{"added_tokens":[', /cannot read/],
  ])("is refused when it holds %s", (_, text, message) => {
    writeFileSync(path("tokenizer.json"), text);
    expect(refusal(decoder)).toMatch(message);
  });

  it("is refused with 300,000 added tokens, and read with thousands", () => {
    const original = readFileSync(path("tokenizer.json"), "utf8");
    const withAdded = (count: number) => {
      writeFileSync(
        path("tokenizer.json"),
        JSON.stringify({ ...JSON.parse(original), added_tokens: addedTokens(count) }),
      );
    };
    const addedTokens = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        id: 384 + index,
        content: `<${index}>`,
        special: false,
      }));
    withAdded(300_000);
    expect(refusal(decoder)).toContain("must have at most 65536 added tokens, got 300000");
    withAdded(10_000);
    expect(decoder()([384 + 9_999])).toContain("<9999>");
  });

  it.skipIf(process.platform === "win32")(
    "is refused when it is a pipe or a device, as its configuration is",
    () => {
      for (const name of ["tokenizer.json", "tokenizer_config.json"]) {
        rmSync(path(name), { force: true });
        execFileSync("mkfifo", [path(name)]);
        expect(refusal(decoder)).toContain("must be a regular file");
        rmSync(path(name));
        symlinkSync("/dev/zero", path(name));
        expect(refusal(decoder)).toContain("must be a regular file");
        cpSync(join(tiny, name), path(name));
      }
    },
  );
});
