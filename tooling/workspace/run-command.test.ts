import { readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { runCommand } from "./run-command.mjs";

const folder = temporaryDirectory();

/** Runs a program of Node, and gives its exit code and all that was printed in the terminal's place. */
async function held(program: string, options: { copyTo?: string; isPatient?: boolean } = {}) {
  const printed: string[] = [];
  const exitCode = await runCommand(process.execPath, ["-e", program], {
    ...options,
    printTo: (text) => printed.push(text),
  });
  return { exitCode, text: printed.join("") };
}

it("gives all that a command prints to whoever asks for it, with its exit code", async () => {
  const program = "console.log('to ☃ out'); console.error('to err'); process.exitCode = 3;";
  const { exitCode, text } = await held(program);
  expect(exitCode).toBe(3);
  expect(text.split("\n").sort()).toEqual(["", "to err", "to ☃ out"]);
});

it("copies into a file what it gives", async () => {
  const copyTo = join(folder, "copy.log");
  const { text } = await held("console.log('kept twice')", { copyTo });
  expect(text).toBe("kept twice\n");
  expect(readFileSync(copyTo, "utf8")).toBe(text);
});

it("gives way to other programs where it is patient, and so do programs that it starts", async () => {
  const print = 'console.log(require("node:os").getPriority())';
  const program = `require("node:child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(print)}], { stdio: "inherit" })`;
  const [patient, usual] = await Promise.all([held(program, { isPatient: true }), held(program)]);
  expect(Number(usual.text)).toBe(getPriority());
  expect(Number(patient.text)).toBeGreaterThan(getPriority());
});
