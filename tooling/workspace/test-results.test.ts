import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { startVitest } from "vitest/node";
import { countTests, summary, unsteadyTests } from "./test-results.mjs";

const folder = temporaryDirectory();

function report(
  files: readonly { status: string; assertionResults: readonly { status: string }[] }[],
): string {
  const tests = files.flatMap((file) => file.assertionResults);
  const count = (status: string) => tests.filter((test) => test.status === status).length;
  const file = join(folder, `${Math.random()}.json`);
  const counts = {
    numPassedTests: count("passed"),
    numFailedTests: count("failed"),
    numPendingTests: count("pending"),
    numTodoTests: 0,
  };
  writeFileSync(file, JSON.stringify({ ...counts, testResults: files }));
  return file;
}

const passed = { status: "passed", assertionResults: [{ status: "passed" }, { status: "pending" }] };

describe("countTests", () => {
  it("counts what passed, failed and was skipped", () => {
    const failed = { status: "failed", assertionResults: [{ status: "failed" }, { status: "passed" }] };
    expect(countTests(report([passed, failed]), 1)).toEqual({ passed: 2, failed: 1, skipped: 1 });
  });

  it("counts a file that could not run as one failure", () => {
    const crashed = { status: "failed", assertionResults: [] };
    expect(countTests(report([passed, crashed]), 1)).toEqual({ passed: 1, failed: 1, skipped: 1 });
  });

  it("fails a run that ended badly although its tests passed", () => {
    expect(countTests(report([passed]), 1).failed).toBe(1);
  });

  it("fails a run that wrote no report", () => {
    expect(countTests(join(folder, "none.json"), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

describe("unsteadyTests", () => {
  it("names what passed at the second time alone, with the error of the first", () => {
    const failureMessages = ["AssertionError: expected 1 to be 0\n    at x.ts:1"];
    const again = { status: "passed", fullName: "a queue keeps its order", failureMessages };
    const failed = { status: "failed", fullName: "a queue ends", failureMessages };
    const steady = { status: "passed", fullName: "a queue starts", failureMessages: [] };
    expect(unsteadyTests(report([{ status: "failed", assertionResults: [again, failed, steady] }]))).toEqual([
      "a queue keeps its order: AssertionError: expected 1 to be 0",
    ]);
    expect(unsteadyTests(join(folder, "none.json"))).toEqual([]);
  });

  it("reads what the runner writes", async () => {
    const project = temporaryDirectory({ parent: folder });
    const counter = JSON.stringify(join(project, "runs"));
    writeFileSync(
      join(project, "unsteady.test.ts"),
      `import { appendFileSync, readFileSync } from "node:fs";
      import { expect, it } from "vitest";
      it("passes twice a run", () => expect(1).toBe(1));
      it("passes at the second time", () => {
        appendFileSync(${counter}, "x");
        expect(readFileSync(${counter}, "utf8")).toBe("xx");
      });`,
    );
    const file = join(project, "report.json");
    await startVitest("test", [], {
      root: project,
      config: false,
      watch: false,
      retry: 1,
      reporters: ["json"],
      outputFile: file,
    }).then((vitest) => vitest.close());
    expect(countTests(file, 0)).toEqual({ passed: 2, failed: 0, skipped: 0 });
    expect(unsteadyTests(file)).toEqual([
      expect.stringMatching(/^passes at the second time: AssertionError: expected 'x' to be 'xx'/),
    ]);
  });
});

describe("summary", () => {
  it("ends with the sum alone", () => {
    expect(summary({ passed: 3, failed: 0, skipped: 2 }).split("\n").at(-1)).toBe("3 passed, 0 failed");
    expect(summary({ passed: 3, failed: 1, skipped: 0 })).toBe("3 passed, 1 failed");
  });
});
