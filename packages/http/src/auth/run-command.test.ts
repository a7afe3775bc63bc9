import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { sourceProgram } from "@tinkex-tooling/source-program";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { eventually, failureOf } from "../testing/test-transport.js";
import { credentialCommand } from "./credential-command.js";
import { CredentialError } from "./credential-error.js";

const LIMIT_MS = 300;

let folder: string;

beforeEach(() => {
  folder = temporaryDirectory();
});

const failure = (command: string, timeoutMs = LIMIT_MS): Promise<CredentialError> =>
  failureOf(Promise.resolve(credentialCommand(command, timeoutMs)()));

/** Whether a process whose id stands in a file of the folder still runs; one that nobody has buried yet does not. */
async function runs(name: string): Promise<boolean> {
  const pid = Number(await readFile(join(folder, name), "utf8"));
  if (!(pid > 1)) throw new Error(`no process id in ${name}`);
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return (
    !existsSync("/proc/self/stat") ||
    !/\) Z /.test(await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z "))
  );
}

describe.skipIf(process.platform === "win32")("a credential command's words", () => {
  it.each([
    [
      "a shell that shows what it runs",
      "set -x; curl -H 'x-api-key: tml-canary' http://127.0.0.1:9/; exit 3",
    ],
    ["a key on both outputs", "echo tml-canary; echo tml-canary >&2; exit 3"],
    ["a key in the error alone", "echo 'Authorization: Bearer eyJcanary' >&2; exit 3"],
    ["a key in escape codes", "printf '\\033]0;tml-canary\\007' >&2; exit 3"],
    ["a key and success, but nothing printed", "echo tml-canary >&2"],
    ["a command that is killed", "echo tml-canary >&2; kill -9 $$"],
    ["a command that no shell can read", "echo 'tml-canary"],
    ["a command that does not exist", "/nowhere/tml-canary"],
    ["a command that no process can be given", "echo tml-canary\0"],
  ])("are not shown: %s", async (_, command) => {
    const error = await failure(command, 5_000);
    expect(error).toBeInstanceOf(CredentialError);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary");
  });

  it("the error says how it ended, and where to see why", async () => {
    expect((await failure("exit 3", 5_000)).message).toBe(
      "the credential command (TINKER_CREDENTIAL_CMD) failed with 3; run it in a terminal to see why",
    );
    expect((await failure("kill -9 $$", 5_000)).message).toContain("failed with SIGKILL");
  });

  it.each([
    ["with an end", "head -c 100000 /dev/zero | tr '\\0' c"],
    ["without end", "yes canary"],
    ["without end or a line", "cat /dev/zero"],
  ])("more of them than a credential has end it: %s", async (_, command) => {
    const error = await failure(command, 60_000);
    expect(error.message).toMatch(/printed more than \d+ bytes/);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary");
  });
});

describe.skipIf(process.platform === "win32")("a credential command's limit", () => {
  // A command that is waited for would outlast the test.
  it.each([
    ["the shell", `trap '' TERM; echo $$ > pid; sleep 600`],
    [
      "a shell that catches TERM and goes on",
      `trap 'true' TERM; echo $$ > pid; while true; do sleep 1; done`,
    ],
    ["a child in the foreground", `sh -c 'echo $$ > pid; sleep 600'; true`],
    ["a child in the background", `sleep 600 & echo $! > pid; wait`],
    ["a child that ignores TERM", `sh -c 'trap "" TERM HUP; echo $$ > pid; sleep 600' & wait`],
    ["a child that outlives its parents and holds the output", `(sleep 600 & echo $! > pid) ; echo tml-a`],
    ["a pipe's end", `yes | sh -c 'echo $$ > pid; cat > /dev/null'`],
  ])("ends %s in time, and leaves nothing running", async (_, command) => {
    const error = await failure(`cd '${folder}'; ${command}`);
    expect(error.message).toMatch(new RegExp(`took longer than ${LIMIT_MS} ms`));
    await eventually(() => runs("pid")).toBe(false);
  });

  it("what a command leaves in the background ends with it, when it worked and when it failed", async () => {
    for (const [name, rest] of [
      ["worked", "echo tml-a"],
      ["failed", "exit 3"],
    ] as const) {
      const background = `cd '${folder}'; sleep 600 > /dev/null 2>&1 & echo $! > ${name}; ${rest}`;
      const asked = Promise.resolve(credentialCommand(background, 20_000)());
      if (name === "worked") expect(await asked).toBe("tml-a");
      else await failureOf(asked);
      await eventually(() => runs(name)).toBe(false);
    }
  });

  it("a command that asks finds no one to ask, and does not wait", async () => {
    expect((await failure("read -r key; echo $key", 20_000)).message).toMatch(
      /failed with 1|printed nothing/,
    );
  });

  it("leaves no listener of the process behind", async () => {
    const count = (): number[] =>
      ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((name) => process.listenerCount(name));
    const before = count();
    const source = credentialCommand("echo tml-a");
    await Promise.all([source(), credentialCommand("echo tml-b")(), failure("sleep 60")]);
    expect(count()).toEqual(before);
  });
});

describe.skipIf(process.platform === "win32")("a program that ends while its credential command runs", () => {
  /** Runs a program that asks a command which would take a minute; `ready` tells when the command has begun. */
  async function program(rest: string): Promise<{ readonly pid: number; readonly ended: Promise<string> }> {
    const source = `
      import { credentialCommand } from "./credential-command.ts";
      credentialCommand("cd '${folder}'; trap '' INT TERM HUP; sleep 60 & echo $! > pid; wait")().catch(() => {});
      ${rest}`;
    const bundle = await sourceProgram(source, import.meta.url);
    onTestFinished(() => bundle.remove());
    const child = spawn(process.execPath, bundle.nodeArguments, { stdio: "ignore" });
    const ended = new Promise<string>((resolve) =>
      child.on("close", (code, signal) => resolve(String(signal ?? code))),
    );
    return { pid: child.pid ?? 0, ended };
  }

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("by %s: the command ends too", async (signal) => {
    const { pid, ended } = await program("");
    await eventually(() => existsSync(join(folder, "pid"))).toBe(true);
    await eventually(() => runs("pid").catch(() => false)).toBe(true);
    process.kill(pid, signal);
    expect(await ended).toBe(signal);
    await eventually(() => runs("pid")).toBe(false);
  });

  it("by itself: the command ends too", async () => {
    const { ended } = await program(
      `const { existsSync } = await import("node:fs");
       setInterval(() => { if (existsSync(${JSON.stringify(join(folder, "pid"))})) process.exit(7); }, 5);`,
    );
    expect(await ended).toBe("7");
    await eventually(() => runs("pid").catch(() => true)).toBe(false);
  });
});
