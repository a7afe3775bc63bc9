import { expect, it } from "vitest";
import { formatPath } from "./format-path.js";

it.each<[(string | number)[], string]>([
  [["data", 3, "loss_fn_inputs", "weights"], "data[3].loss_fn_inputs.weights"],
  [[0, "a"], "[0].a"],
  [[], ""],
])("writes the path %j as %j", (path, text) => {
  expect(formatPath(path)).toBe(text);
});
