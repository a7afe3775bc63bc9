import { describe, expect, it } from "vitest";
import { runCommand } from "./run-command.js";
import { npmArguments, runByNpm } from "./run-serve.js";

async function run(argv: readonly string[], ended: Promise<void> = Promise.resolve()) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(
    argv,
    { env: {}, write: (line) => out.push(line), writeError: (line) => err.push(line), ended },
    "1.2.3",
  );
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("tinkex", () => {
  it("prints its version and its help", async () => {
    expect(await run(["--version"])).toEqual({ code: 0, out: "1.2.3", err: "" });
    expect((await run(["--help"])).out).toContain("tinkex serve");
  });

  it("shows the help as an error where there is no command, so that nothing is read as output", async () => {
    expect(await run([])).toEqual({ code: 1, out: "", err: (await run(["--help"])).out });
  });

  it.each([
    ["server", "did you mean serve?"],
    ["help", "did you mean --help?"],
    ["version", "did you mean --version?"],
    ["--port", "options follow the command, as in tinkex serve --port"],
    ["train", "tinkex --help lists them"],
  ])("answers %s, which is no command, with what was probably meant", async (command, advice) => {
    expect(await run([command])).toEqual({
      code: 1,
      out: "",
      err: `error: there is no command "${command}"; ${advice}`,
    });
  });

  it("serves the API until it is told to end", async () => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const out: string[] = [];
    const running = runCommand(
      ["serve", "--runtime", "wasm"],
      { env: {}, write: (line) => out.push(line), writeError: () => {}, ended },
      "1.2.3",
    );
    await expect.poll(() => out.join("\n"), { timeout: 30_000 }).toContain("stop it with Ctrl+C");
    const [, url] = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(out.join("\n")) ?? [];
    const answer = await fetch(`${url}/api/v1/healthz`);
    expect(await answer.json()).toEqual({ status: "ok" });
    end();
    expect(await running).toBe(0);
    await expect(fetch(`${url}/api/v1/healthz`)).rejects.toThrow();
  });

  it("says what is wrong with an option, in one line", async () => {
    const { code, err } = await run(["serve", "--port", "high"]);
    expect([code, err]).toEqual([1, 'error: --port must be a whole number, got "high"']);
  });
});

it("asks npm for the server of exactly this version", () => {
  expect(npmArguments(["--port", "8000"], "0.1.0")).toEqual([
    "exec",
    "--yes",
    "--package=@tinkex/local@0.1.0",
    "--",
    "tinkex-local",
    "--port",
    "8000",
  ]);
});

it("says what to install where npm cannot be run", async () => {
  const surroundings = {
    env: { PATH: "/nowhere" },
    write() {},
    writeError() {},
    ended: new Promise<void>(() => {}),
  };
  await expect(runByNpm([], surroundings, "1.2.3")).rejects.toThrow(
    /npm, which would fetch the server, cannot be run \(spawn npm ENOENT\); install it, or .*@tinkex\/local@1\.2\.3/,
  );
});
