import { expect, it } from "vitest";
import { changesBetween, countFindings, describeChange, readBaseline } from "./baseline.js";
import { checkSources, sourceFiles } from "./check-sources.js";

const findings = checkSources();
const changes = changesBetween(readBaseline(), countFindings(findings));

it("keeps to docs/style.md: no package has more findings of a rule than are committed", () => {
  expect(changes.filter(({ committed, found }) => found > committed).map(describeChange)).toEqual([]);
});

it("counts down: no committed number is higher than what is found", () => {
  expect(changes.filter(({ committed, found }) => found < committed).map(describeChange)).toEqual([]);
});

it("reads the sources of every package and app, without tests and generated code", () => {
  const files = sourceFiles();
  expect(files).toEqual(
    expect.arrayContaining([
      "packages/client/src/index.ts",
      "packages/local/src/index.ts",
      "apps/examples/src/quickstart.ts",
    ]),
  );
  expect(files.filter((file) => /\.test\.ts$|\/generated\//.test(file))).toEqual([]);
  expect(
    findings.filter(({ file, folder }) => !files.includes(file) || !file.startsWith(`${folder}/src/`)),
  ).toEqual([]);
});
