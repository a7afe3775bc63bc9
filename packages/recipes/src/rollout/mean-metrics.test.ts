import { expect, it } from "vitest";
import { meanMetrics } from "./mean-metrics.js";

// thinking-machines-lab/tinker-cookbook: dict_mean of utils/misc_utils.py
it("a metric that some rewards come with is the mean over those that have it, as the cookbook counts", () => {
  const found = meanMetrics([
    { metrics: { x: 4, y: 1 }, end: "stop" },
    { metrics: { y: 2 }, end: "length" },
    { metrics: { x: 2, y: 6 }, end: undefined },
    { metrics: {}, end: "stop" },
  ]);
  expect(found).toEqual({
    "env/all/x": 3,
    "env/all/y": 3,
    // Shares are of all episodes.
    "stop/stop": 0.5,
    "stop/length": 0.25,
  });
});

it("none of no episodes, and a name of every object is a name as any other", () => {
  expect(meanMetrics([])).toEqual({});
  expect(meanMetrics([{ metrics: { constructor: 2 }, end: undefined }])).toEqual({
    "env/all/constructor": 2,
  });
});
