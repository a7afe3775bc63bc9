import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readJsonFile } from "./read-json-file.js";

const root = temporaryDirectory();

const schema = z.object({ size: z.number() });
const file = join(root, "sizes.json");

function readText(text: string): unknown {
  writeFileSync(file, text);
  return readJsonFile(file, schema);
}

describe("readJsonFile", () => {
  it("gives the fields of the schema and no others", () => {
    expect(readText('{"size": 3, "name": "x"}')).toEqual({ size: 3 });
  });

  it.each([
    ["is no JSON", "{size", /^cannot read .*sizes\.json: .*; download or save the file again$/],
    [
      "lacks a field",
      "{}",
      /^.*sizes\.json is not as expected: .*\bsize\b.*; correct these fields, or download or save the file again$/,
    ],
  ])("names the file and a remedy when it %s", (_, text, message) => {
    expect(() => readText(text)).toThrow(ValidationError);
    expect(() => readText(text)).toThrow(message);
  });

  it("says so when the file is absent", () => {
    expect(() => readJsonFile(join(root, "absent.json"), schema)).toThrow(
      /^cannot open .*absent\.json: ENOENT.*; download or save it again where it is missing$/,
    );
  });
});
