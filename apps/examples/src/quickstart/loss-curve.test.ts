import { expect, it } from "vitest";
import { lossCurve } from "./loss-curve.js";

it("draws a falling loss from the top left to the bottom right", () => {
  const rows = lossCurve(Array.from({ length: 200 }, (_, step) => 5 - step / 40)).split("\n");
  expect(rows).toHaveLength(9);
  expect(rows[0]).toMatch(/^ *4\.98 ┼─/);
  expect(rows.at(-1)).toMatch(/^ *0\.06 ┤ +╰─+$/);
});

it("never draws wider than a narrow terminal", () => {
  const widths = lossCurve(Array.from({ length: 5000 }, (_, step) => Math.sin(step)))
    .split("\n")
    .map((row) => row.length);
  expect(Math.max(...widths)).toBeLessThanOrEqual(75);
});
