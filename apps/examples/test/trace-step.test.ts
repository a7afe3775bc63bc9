import { expect, it, onTestFinished } from "vitest";
import { ExampleRun } from "./run-example.js";

it("trace-step prints the spans of client and server as one tree", async () => {
  const run = new ExampleRun([], {}, { program: "trace-step.js" });
  onTestFinished(() => run.dispose());
  const { exitCode, stderr, lines } = await run.finish();
  expect(exitCode, stderr).toBe(0);
  const names = lines.map((line) => line.replace(/ +[0-9.]+ ms$/, ""));
  // Polls are as many as the arithmetic takes.
  expect(names.filter((name) => !name.includes("retrieve_future"))).toEqual([
    "tinker.step tinkex/pocket-1",
    "  tinker.forward_backward tinkex/pocket-1",
    "    tinker.chunk forward_backward",
    "      POST forward_backward",
    "        tinker.server forward_backward",
    "          tinker.server.queue",
    "          tinker.server.compile",
    "          tinker.server.run",
    "      tinker.queue ForwardBackward",
    "  tinker.optim_step tinkex/pocket-1",
    "    POST optim_step",
    "      tinker.server optim_step",
    "        tinker.server.queue",
    "        tinker.server.run",
    "    tinker.queue OptimStep",
  ]);
}, 60_000);
