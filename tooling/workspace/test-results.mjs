import { existsSync, readFileSync } from "node:fs";

/**
 * The part of vitest's JSON report that is read here.
 * @typedef {{ status: string, fullName: string, failureMessages?: string[] | null }} Test
 * @typedef {{ status: string, assertionResults: Test[] }} TestFile
 * @typedef {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number, testResults: TestFile[] }} Report
 */

/**
 * What a vitest run amounts to, from its JSON report. A file that could not run at all counts as one failed test, and so
 * does a run that ended badly although every test passed (an unhandled error).
 *
 * @param {string} reportFile
 * @param {number} exitCode of vitest
 */
export function countTests(reportFile, exitCode) {
  if (!existsSync(reportFile)) return { passed: 0, failed: 1, skipped: 0 };
  /** @type {Report} */
  const report = JSON.parse(readFileSync(reportFile, "utf8"));
  const crashedFiles = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  );
  const failed = report.numFailedTests + crashedFiles.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * Tests that passed only when they were run again, from vitest's JSON report, which keeps the errors of the first time.
 *
 * @param {string} reportFile
 */
export function unsteadyTests(reportFile) {
  if (!existsSync(reportFile)) return [];
  /** @type {Report} */
  const report = JSON.parse(readFileSync(reportFile, "utf8"));
  return report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, failureMessages }) => status === "passed" && (failureMessages ?? []).length > 0)
    .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages?.[0]?.split("\n")[0]}`);
}

/** The closing lines of a run; the last is the sum alone. @param {{ passed: number, failed: number, skipped: number }} counts */
export function summary({ passed, failed, skipped }) {
  const note = skipped > 0 ? `${skipped} skipped, each with its reason beside it\n` : "";
  return `${note}${passed} passed, ${failed} failed`;
}
