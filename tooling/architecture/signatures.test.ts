import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { entrySources, pinOf } from "./package-sources.js";
import { signaturesOf } from "./signatures.js";

// A changed signature is a decision: accept it with `npm test -- --update` and say why in the changeset.
it.each(entrySources)("pins the signatures of what $entry exports", async ({ entry, file }) => {
  const pin = pinOf(entry).replace(/^exports\//, "signatures/");
  await expect(signaturesOf(file)).toMatchFileSnapshot(pin);
});

it("tells a changed parameter, result or option, and no changed comment or body", () => {
  const directory = temporaryDirectory();
  let count = 0;
  const signatures = (source: string): string => {
    count += 1;
    writeFileSync(join(directory, `part-${count}.ts`), source);
    const entry = join(directory, `entry-${count}.ts`);
    writeFileSync(entry, `export { f, type Options } from "./part-${count}.js";\n`);
    return signaturesOf(entry);
  };
  const before = `/** Says so. */ export interface Options { a?: number }
export function f(x: number, options: Options): string { return String(x); }`;
  const same = before.replace("Says so", "Tells").replace("String(x)", '"1"');
  expect(signatures(same)).toBe(signatures(before));
  for (const [from, to] of [
    ["x: number", "x: bigint"],
    [": string", ": number"],
    ["a?: number", "a: number"],
  ] as const) {
    expect(signatures(before.replace(from, to))).not.toBe(signatures(before));
  }
});
