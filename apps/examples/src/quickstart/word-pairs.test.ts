import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { BUNDLED_DATA } from "./options.js";
import { loadWordPairs } from "./word-pairs.js";

const files = (folder: string) => ({
  train: join(folder, "train.jsonl"),
  heldOut: join(folder, "held-out.jsonl"),
});

describe("loadWordPairs", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryDirectory();
    writeFileSync(join(folder, "held-out.jsonl"), '{"prompt":"a ->","completion":" b"}\n');
  });

  it("reads the bundled pairs, of which none is held out and trained on", async () => {
    const { train, heldOut } = await loadWordPairs(BUNDLED_DATA);
    expect(train.length).toBeGreaterThanOrEqual(300);
    expect(heldOut.length).toBeGreaterThanOrEqual(60);
    const trained = new Set(train.map(({ prompt }) => prompt));
    expect(heldOut.filter(({ prompt }) => trained.has(prompt))).toEqual([]);
  });

  it("names a file that is not there", async () => {
    await expect(loadWordPairs(files(folder))).rejects.toThrow(
      `cannot read the data file ${join(folder, "train.jsonl")} (ENOENT)`,
    );
  });

  it.each([
    ["", "train.jsonl is empty"],
    ["{}", 'train.jsonl:1 is not a JSON object with "prompt" and "completion"'],
    ['{"prompt":"a","completion":"b"}\nnonsense', "train.jsonl:2 is not a JSON object"],
    ['{"prompt":1,"completion":"b"}', 'train.jsonl:1: "prompt" and "completion" must be strings'],
  ])("refuses %j", async (text, message) => {
    writeFileSync(join(folder, "train.jsonl"), text);
    await expect(loadWordPairs(files(folder))).rejects.toThrow(message);
  });
});
