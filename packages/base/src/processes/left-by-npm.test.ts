import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import { sourceProgram } from "@tinkex-tooling/source-program";
import { describe, expect, it, onTestFinished } from "vitest";
import { FakeClock } from "../testing/fake-clock.js";
import { leftByNpm } from "./left-by-npm.js";

/** A command that says its pid, and how it ends. */
const PROGRAM = `
  import { commandSurroundings } from "./command-surroundings.ts";
  const { write, ended } = commandSurroundings(process);
  write(process.pid);
  setInterval(() => {}, 1000);
  await ended;
  write("ended in order");
  process.exit();
`;

it.skipIf(process.platform === "win32")("ends a command whose shell has npx ended with it", async () => {
  const program = await sourceProgram(PROGRAM, import.meta.url);
  onTestFinished(() => program.remove());
  const script = program.nodeArguments.at(-1) ?? "";
  // A second command keeps every shell from becoming the first one.
  const line = `"${process.execPath}" ${program.nodeArguments.map((each) => `"${each}"`).join(" ")}; true`;
  const name = basename(script, ".js");
  const shell = spawn("sh", ["-c", line], {
    cwd: new URL(".", import.meta.url),
    env: {
      ...process.env,
      npm_command: "exec",
      npm_lifecycle_event: "npx",
      npm_lifecycle_script: `'${name}'`,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  shell.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await once(shell.stdout, "data");
  const pid = Number(output.trim());
  onTestFinished(() => {
    if (!output.includes("ended")) process.kill(pid, "SIGKILL");
  });
  shell.kill("SIGTERM");
  // The end of the pipe is that of the command, which alone holds it still.
  await once(shell.stdout, "end");
  expect(output).toBe(`${pid}\nended in order\n`);
});

describe("leftByNpm", () => {
  const npx = { npm_command: "exec", npm_lifecycle_event: "npx", npm_lifecycle_script: "'tinkex'" };
  const argv = ["node", "_npx/1/node_modules/.bin/tinkex", "serve"];

  /** Tells whether the command ends when its parent has. */
  async function endsWithParent(env: object, command: readonly string[] = argv): Promise<boolean> {
    const clock = new FakeClock();
    const started = { argv: [...command], env: { ...env }, ppid: 7 };
    let isLeft = false;
    void leftByNpm(started, clock).then(() => {
      isLeft = true;
    });
    await clock.advance(10_000);
    expect(isLeft).toBe(false);
    started.ppid = 1;
    await clock.advance(1_000);
    return isLeft;
  }

  it.each([
    npx,
    { ...npx, npm_lifecycle_script: "tinkex serve --port 8000" },
    { ...npx, npm_lifecycle_script: '"tinkex" "serve"' },
  ])("resolves when the parent of what npx runs is another: %j", async (env) => {
    expect(await endsWithParent(env)).toBe(true);
    expect(await endsWithParent(env, ["node", "/a/node_modules/tinkex/bin/tinkex.js"])).toBe(true);
  });

  it.each([
    ["without npm", {}],
    [
      "by a script of npm run, which may start it in the background",
      { ...npx, npm_command: "run-script", npm_lifecycle_event: "dev" },
    ],
    ["by a program that npx runs", { ...npx, npm_lifecycle_script: "'tsx'" }],
    ["by a line for a shell", { ...npx, npm_lifecycle_script: "tinkex serve & sleep 1" }],
  ])("never does for a command that was started %s", async (_, env) => {
    expect(await endsWithParent(env)).toBe(false);
  });
});
