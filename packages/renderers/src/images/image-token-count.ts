import { checkKnownNames, checkObject, describeValue, ValidationError } from "@tinkex/base";

/** Settings by which an image processor of the Qwen-VL kind cuts a picture, as the `preprocessor_config.json` of the model has it. */
export interface ImageGrid {
  /** Side of a patch in pixels. @defaultValue 16 */
  readonly patchSize?: number;
  /** Patches a side that are merged to a token. @defaultValue 2 */
  readonly mergeSize?: number;
  /** Smaller pictures are enlarged to so many pixels, `size.shortest_edge` of the config. @defaultValue 65536 */
  readonly minPixels?: number;
  /** Larger ones are shrunk, `size.longest_edge`. @defaultValue 16777216 */
  readonly maxPixels?: number;
}

const GRID: Readonly<Record<keyof ImageGrid, true>> = {
  patchSize: true,
  mergeSize: true,
  minPixels: true,
  maxPixels: true,
};

/** No side may be longer than so many times the other. */
const MAX_ASPECT_RATIO = 200;

/**
 * Counts the tokens that a picture takes in a model of the Qwen-VL kind: its sides are rounded to whole tokens and scaled into the allowed
 * range, as `smart_resize` of transformers does. The defaults are those of Qwen3-VL.
 *
 * @throws ValidationError for sides that are not whole and positive, or too unequal
 */
export function imageTokenCount(
  size: { readonly width: number; readonly height: number },
  grid: ImageGrid = {},
): number {
  checkObject(size, "imageTokenCount: size", "{ width: 640, height: 480 }");
  checkKnownNames(grid, GRID, "imageTokenCount: grid");
  const { width, height } = size;
  const { patchSize = 16, mergeSize = 2, minPixels = 65_536, maxPixels = 16_777_216 } = grid;
  for (const [name, value] of Object.entries({ patchSize, mergeSize, minPixels, maxPixels })) {
    if (Number.isFinite(value) && value > 0) continue;
    throw new ValidationError(
      `imageTokenCount: ${name} must be a number above 0, got ${describeValue(value)}`,
      {
        path: [name],
      },
    );
  }
  const sides = [height, width];
  if (!sides.every((side) => Number.isInteger(side) && side > 0)) {
    throw new ValidationError(
      `the sides of an image must be whole, positive numbers of pixels, got ${describeValue(width)} x ${describeValue(height)}`,
      {
        path: ["width"],
      },
    );
  }
  if (Math.max(...sides) / Math.min(...sides) > MAX_ASPECT_RATIO) {
    throw new ValidationError(
      `an image of ${width} x ${height} pixels is too narrow; no side may be over ${MAX_ASPECT_RATIO} times the other`,
      { path: ["width"] },
    );
  }
  const unit = patchSize * mergeSize;
  const rounded = sides.map((side) => roundHalfToEven(side / unit));
  const pixels = rounded.reduce((product, side) => product * side * unit, 1);
  const area = width * height;
  if (pixels > maxPixels) {
    const scale = Math.sqrt(area / maxPixels);
    return sides.reduce((count, side) => count * Math.max(1, Math.floor(side / scale / unit)), 1);
  }
  if (pixels < minPixels) {
    const scale = Math.sqrt(minPixels / area);
    return sides.reduce((count, side) => count * Math.ceil((side * scale) / unit), 1);
  }
  return rounded.reduce((product, side) => product * side, 1);
}

/** Rounds as Python does. */
function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
