import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { runScript } from "./testing/run-script.js";
import { StubService } from "./testing/stub-service.js";

it("the README's program runs as it stands", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? expect.fail("the README shows no program");
  const stub = await StubService.start();
  onTestFinished(() => stub.close());
  // From the sources, which need no build.
  const fromSources = program.replace(
    '"@tinkex/client"',
    JSON.stringify(new URL("index.ts", import.meta.url).href),
  );
  const end = await runScript(fromSources, { TINKER_BASE_URL: stub.url, TINKER_API_KEY: "" });
  expect(end).toMatchObject({ code: 0, stderr: "", stdout: "1 { grad_norm: 1 }\n[ 0 ]\n" });
  expect(stub.trace.at(-1)).toBe("sessions/S/finish");
}, 60_000);
