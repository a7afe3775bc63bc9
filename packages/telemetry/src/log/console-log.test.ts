import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { consoleLog } from "./console-log.js";
import { drawCurve } from "./draw-curve.js";

/** A stream that keeps what is written. */
function recording(terminal?: { readonly columns: number }) {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text), isTTY: terminal !== undefined, ...terminal };
  return { stream, written };
}

describe("consoleLog", () => {
  it("writes a plain line for each step into a pipe", () => {
    const { stream, written } = recording();
    using log = consoleLog({ stream, totalSteps: 2 });
    log.log({ "loss:sum": 1.234567, tokens: 12_000, gone: undefined }, 0);
    log.log({ "loss:sum": 1 }, 1);
    log.close();
    expect(written.join("")).toBe("step 0/2  loss:sum 1.235  tokens 12000\nstep 1/2  loss:sum 1\n");
  });

  it("ends no program by a pipe that nobody reads any more, and leaves its errors to who listens", async () => {
    const broken = () =>
      new Writable({ write: (_chunk, _encoding, done) => void setImmediate(done, new Error("EPIPE")) });
    const stream = broken();
    // As the output of each worker thread is piped into that of the process: this listener sends an error on where no other one is.
    new PassThrough().pipe(stream);
    using log = consoleLog({ stream });
    log.log({ loss: 1 }, 0);
    log.log({ loss: 2 }, 1);
    // Vitest fails a run in which an error is heard by nobody.
    await new Promise((resolve) => stream.once("close", resolve));
    log.log({ loss: 3 }, 2);
    const heard = broken();
    const error = new Promise((resolve) => heard.once("error", resolve));
    consoleLog({ stream: heard }).log({ loss: 1 }, 0);
    expect(String(await error)).toBe("Error: EPIPE");
  });

  it("draws one line with a bar again on a terminal, never longer than it, and the curve at the end", () => {
    const { stream, written } = recording({ columns: 60 });
    const log = consoleLog({ stream, totalSteps: 4 });
    for (let step = 0; step < 4; step += 1) log.log({ lr: 0.1, nll: 4 - step, "a/long/name": 1.5 }, step);
    log.close();
    log.close();
    const lines = written.slice(0, 4);
    expect(lines.every((line) => line.startsWith("\r\u001b[K") && line.length <= 59 + 4)).toBe(true);
    expect(lines[0]).toContain(`${"█".repeat(8)}${"░".repeat(22)}  step 0/4  lr 0.1`);
    expect(lines[3]).toContain("█".repeat(30));
    const [end, curve, ...others] = written.slice(4);
    expect(end).toBe("\n");
    expect(curve).toContain("nll, by step\n");
    expect(curve).toContain("4.00 ┼");
    expect(others).toEqual([]);
  });

  it("shows names and words of a service as what they are, not as commands of a terminal", () => {
    const { stream, written } = recording({ columns: 80 });
    const log = consoleLog({ stream });
    log.log({ "loss\u001b[2J": 1, note: "a\r\u001b]0;title\u0007b" }, 0);
    const line = written.join("").slice("\r\u001b[K".length);
    expect(line).toContain("loss\\u001b[2J 1");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
    expect(line).not.toMatch(/[\u0000-\u001f]/);
  });

  it("draws a line of 79 letters at most on a terminal that says that it has no columns", () => {
    const { stream, written } = recording({ columns: 0 });
    consoleLog({ stream }).log({ loss: 1, ["name".repeat(30)]: 2 }, 0);
    expect(written[0]?.slice("\r\u001b[K".length)).toHaveLength(79);
  });

  it("draws no curve of one step, and none of a metric that never comes", () => {
    for (const [options, steps] of [
      [{}, 1],
      [{ curve: "accuracy" }, 3],
    ] as const) {
      const { stream, written } = recording({ columns: 80 });
      const log = consoleLog({ stream, ...options });
      for (let step = 0; step < steps; step += 1) log.log({ loss: step }, step);
      log.close();
      expect(written.join("")).not.toContain("by step");
    }
  });

  it("refuses a number of steps that is none", () => {
    expect(() => consoleLog({ totalSteps: 0 })).toThrow(
      "consoleLog: totalSteps must be a whole number of 1 or more, got 0",
    );
  });
});

describe("drawCurve", () => {
  it("draws a falling loss from the top left to the bottom right", () => {
    const rows = drawCurve(Array.from({ length: 200 }, (_, step) => 5 - step / 40)).split("\n");
    expect(rows).toHaveLength(9);
    expect(rows[0]).toMatch(/^ *4\.98 ┼─/);
    expect(rows.at(-1)).toMatch(/^ *0\.06 ┤ +╰─+$/);
  });

  it("never draws wider than a narrow terminal, and leaves out what is no number", () => {
    const widths = drawCurve([Number.NaN, ...Array.from({ length: 5000 }, (_, step) => Math.sin(step))])
      .split("\n")
      .map((row) => row.length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(75);
    expect(drawCurve([Number.NaN])).toBe("");
  });

  it.each([
    ["the same but for the last bit", [2.5, 2.5000000000000004], "2.5"],
    ["the same, whose means differ in the last bit", Array(200).fill(0.1), "0.1"],
    ["above 2^53 and close together", [1e16, 1e16 + 2], "1.000e+16"],
    ["below all normal numbers", [5e-324, 1e-323], "5e-324"],
    ["further apart than a number tells", [1.5e308, -1.5e308], "-1.5e+308"],
    ["the largest there are, many times", Array(200).fill(Number.MAX_VALUE), "1.798e+308"],
  ])("ends with numbers that are %s", (_, numbers, label) => {
    const rows = drawCurve(numbers).split("\n");
    expect(rows.length).toBeLessThanOrEqual(9);
    expect(rows.at(-1)?.trim()).toMatch(new RegExp(`^${label.replace("+", "\\+")} [┼┤]`));
  });

  it("labels rows with digits that tell them apart", () => {
    const labels = (numbers: readonly number[]): string[] =>
      drawCurve(numbers)
        .split("\n")
        .map((row) => row.trim().split(" ")[0] ?? "");
    expect(labels([0.0011, 0.0043])).toEqual([
      "0.00430",
      "0.00390",
      "0.00350",
      "0.00310",
      "0.00270",
      "0.00230",
      "0.00190",
      "0.00150",
      "0.00110",
    ]);
    expect(labels([0.3, 0.3])).toEqual(["0.3"]);
    expect(new Set(labels([5_000_000, 5_000_008])).size).toBe(9);
  });
});
