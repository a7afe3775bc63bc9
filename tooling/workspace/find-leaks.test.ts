import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { CANARY_KEY, CANARY_PROMPT } from "../canary/index.mjs";
import { findLeaks } from "./find-leaks.mjs";

const folder = temporaryDirectory();

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

it("tells the file and the line of every secret, and not the secret", () => {
  const leaky = file("output.log", `fine\nsent with ${CANARY_KEY}\n`);
  const another = file("witness.log", `\n\n{ "text": "${CANARY_PROMPT}" }`);
  const finds = findLeaks([leaky, another]);
  expect(finds).toEqual([
    expect.stringMatching(/^the canary key is in output\.log, line 2: /),
    expect.stringMatching(/^the canary prompt is in witness\.log, line 3: /),
  ]);
  expect(finds.join()).not.toContain(CANARY_KEY);
});

it("tells a leak in a loop five times at most", () => {
  expect(findLeaks([file("loop.log", `${CANARY_KEY}\n`.repeat(1_000))])).toHaveLength(5);
});

it("finds nothing where nothing is, nor in a file that is not there", () => {
  expect(findLeaks([file("clean.log", "all is well"), join(folder, "none.log")])).toEqual([]);
});
