import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { startVitest } from "vitest/node";
import { temporaryDirectory } from "./index.js";

const ofTheFile = temporaryDirectory();

/** Runs tests that are given as text, in a process of their own. @returns the path they noted, and how each test ended */
async function runTests(text: string): Promise<{ path: string; states: string[] }> {
  const root = temporaryDirectory({ parent: import.meta.dirname, prefix: ".cache-" });
  const noted = join(root, "path");
  writeFileSync(
    join(root, "inner.test.ts"),
    `import { existsSync, writeFileSync } from "node:fs";
    import { beforeEach, describe, expect, it } from "vitest";
    import { failOnUnhandledErrors, temporaryDirectory } from "../index.js";
    const note = (path: string) => writeFileSync(${JSON.stringify(noted)}, path);
    ${text}`,
  );
  const vitest = await startVitest("test", [], {
    ...{ root, config: false, watch: false, reporters: [{}], dangerouslyIgnoreUnhandledErrors: true },
  });
  const tests = [...(vitest.state.getTestModules()[0]?.children.allTests() ?? [])];
  await vitest.close();
  return {
    path: existsSync(noted) ? readFileSync(noted, "utf8") : "",
    states: tests.map((test) => test.result().errors?.[0]?.message ?? test.result().state),
  };
}

describe("temporaryDirectory", () => {
  const ofTheSuite = temporaryDirectory();
  const ofTests: string[] = [];
  beforeEach(() => void ofTests.push(temporaryDirectory()));

  it.each([1, 2])("is new for each test and gone after it, and stays for a file and a suite", (run) => {
    ofTests.push(temporaryDirectory());
    expect(ofTests.map(existsSync)).toEqual([...Array(2 * (run - 1)).fill(false), true, true]);
    expect([ofTheFile, ofTheSuite].map(existsSync)).toEqual([true, true]);
  });

  it("takes a place and a name", () => {
    const path = temporaryDirectory({ parent: ofTheFile, prefix: "of a test é " });
    expect(dirname(path)).toBe(ofTheFile);
    expect(basename(path)).toMatch(/^of a test é .{6}$/);
  });

  it("is gone after its suite and its file", async () => {
    const { path, states } = await runTests(`
      note(temporaryDirectory());
      let inner = "";
      describe("a suite", () => {
        inner = temporaryDirectory();
        it("has it", () => expect(existsSync(inner)).toBe(true));
      });
      it("has it no more", () => expect(existsSync(inner)).toBe(false));`);
    expect(states).toEqual(["passed", "passed"]);
    expect([basename(path).slice(0, 12), existsSync(path)]).toEqual(["tinkex-test-", false]);
  });
});

describe("failOnUnhandledErrors", () => {
  it("fails the test which causes them, and no other", async () => {
    const { states } = await runTests(`
      beforeEach(failOnUnhandledErrors);
      it("rejects", () => void Promise.reject(new Error("lost")));
      it("throws", () => void setImmediate(() => { throw new Error("late"); }));
      it("does neither", () => void Promise.reject(new Error("heard")).catch(() => {}));`);
    expect(states).toEqual([
      expect.stringMatching(/^errors that nobody handled: expected \[ Error: lost \]/),
      expect.stringMatching(/^errors that nobody handled: expected \[ Error: late \]/),
      "passed",
    ]);
  });
});
