import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { imageTokenCount } from "./image-token-count.js";

describe("imageTokenCount", () => {
  const range = { minPixels: 1, maxPixels: 1e9 };

  // Computed with smart_resize of transformers 5.24.0, factor 32.
  it.each([
    [64, 32, range, 2],
    [80, 80, range, 4],
    [48, 112, range, 8],
    [16, 16, range, 1],
    [64, 32, {}, 72],
    [640, 480, {}, 300],
    [1920, 1080, {}, 2040],
    [9000, 7000, {}, 16_240],
    [3, 500, {}, 104],
    [33, 4000, {}, 125],
    [5000, 30, { maxPixels: 100_000 }, 127],
  ])("gives %i x %i pixels within %j the tokens that transformers gives", (width, height, grid, tokens) => {
    expect(imageTokenCount({ width, height }, grid)).toBe(tokens);
  });

  it("refuses sides that no image has", () => {
    expect(() => imageTokenCount({ width: 0, height: 4 })).toThrow("0 x 4");
    expect(() => imageTokenCount({ width: 1.5, height: 4 })).toThrow(ValidationError);
    expect(() => imageTokenCount({ width: 1000, height: 4 })).toThrow("too narrow");
  });
});
