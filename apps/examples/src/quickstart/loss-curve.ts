import { plot } from "asciichart";

/** Rows of the drawing. */
const HEIGHT = 8;
const MAX_WIDTH = 60;

/** The loss of every step as a curve of characters, averaged into at most {@link MAX_WIDTH} columns. */
export function lossCurve(losses: readonly number[]): string {
  const width = Math.min(MAX_WIDTH, losses.length);
  const columns = Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * losses.length) / width);
    const to = Math.floor(((column + 1) * losses.length) / width);
    return mean(losses.slice(from, to));
  });
  return plot(columns, { height: HEIGHT })
    .split("\n")
    .map((row) => row.trimEnd())
    .join("\n");
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
