import { checkArray } from "@tinkex/base";
import { plot } from "asciichart";

/** Distance of the lowest row from the highest. */
const HEIGHT = 8;
const MAX_WIDTH = 60;
const LABEL_WIDTH = 11;
/** Significant digits of a label that is too long otherwise. */
const MAX_DIGITS = 4;

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
  const least = Math.min(...columns);
  const most = Math.max(...columns);
  // Halves, since the distance of two numbers may be none that is finite.
  const halfSpan = most / 2 - least / 2;
  // The library counts rows in units of the values, without end where these lie closer together than large numbers do: it gets rows.
  const levels = columns.map((value) =>
    halfSpan > 0 ? 1 + Math.round(((value / 2 - least / 2) / halfSpan) * HEIGHT) : 1,
  );
  const format = (level: number): string => {
    const share = (level - 1) / HEIGHT;
    return labelOf(least * (1 - share) + most * share, halfSpan * 2);
  };
  return plot(levels, { height: Math.max(...levels) - 1, format })
    .split("\n")
    .map((row) => row.trimEnd())
    .join("\n");
}

/** The mean of numbers, whose sum may be none that is finite. */
function mean(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value / values.length, 0);
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum));
}

/** Writes a value with as many digits as tell the rows apart. */
function labelOf(value: number, span: number): string {
  const decimals = span > 0 ? 2 - Math.floor(Math.log10(span)) : Number.POSITIVE_INFINITY;
  const text = decimals <= LABEL_WIDTH ? value.toFixed(Math.max(0, decimals)) : String(value);
  return (text.length <= LABEL_WIDTH ? text : value.toPrecision(MAX_DIGITS)).padStart(LABEL_WIDTH);
}
