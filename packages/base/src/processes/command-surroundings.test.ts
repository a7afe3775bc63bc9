import { spawn } from "node:child_process";
import { once } from "node:events";
import { sourceProgram } from "@tinkex-tooling/source-program";
import { expect, it, onTestFinished } from "vitest";

/** A command that says when it runs, writes what it is told to, and ends in order. */
const PROGRAM = `
  import { commandSurroundings } from "./command-surroundings.ts";
  const { write, writeError, ended } = commandSurroundings(process);
  process.on("message", async () => {
    for (let line = 0; line < 100; line++) {
      write("a line");
      writeError("a line of the log");
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.send("written");
  });
  process.send("ready");
  await ended;
  process.exitCode = 7;
  process.disconnect();
`;

it.each(["SIGHUP", "SIGTERM"] as const)(
  "goes on when nobody reads a command's output any more, and ends it in order at %s",
  async (signal) => {
    const program = await sourceProgram(PROGRAM, import.meta.url);
    onTestFinished(() => program.remove());
    const child = spawn(process.execPath, program.nodeArguments, {
      cwd: new URL(".", import.meta.url),
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const exited = once(child, "exit");
    await once(child, "message");
    for (const stream of [child.stdout, child.stderr]) {
      stream?.destroy();
      if (stream?.closed === false) await once(stream, "close");
    }
    child.send("write");
    await Promise.race([
      once(child, "message"),
      exited.then(([code]) => Promise.reject(new Error(`it ended with code ${code}`))),
    ]);
    child.kill(signal);
    expect(await exited).toEqual([7, null]);
  },
);
