import { checkArray } from "@tinkex/base";
import { plot } from "asciichart";

/** Rows of the drawing. */
const HEIGHT = 8;
const MAX_WIDTH = 60;

/** Draws numbers as a curve of characters, averaged into at most 60 columns; those that are not finite are left out. */
export function drawCurve(numbers: readonly number[]): string {
  checkArray(numbers, "drawCurve: numbers");
  const drawn = numbers.filter(Number.isFinite);
  const width = Math.min(MAX_WIDTH, drawn.length);
  if (width === 0) return "";
  const columns = Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * drawn.length) / width);
    const to = Math.floor(((column + 1) * drawn.length) / width);
    return mean(drawn.slice(from, to));
  });
  return plot(columns, { height: HEIGHT })
    .split("\n")
    .map((row) => row.trimEnd())
    .join("\n");
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
