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
});
