import { expect, it } from "vitest";
import { restoreUtilFunctions } from "./restore-util-functions.js";

/** What `require("util")` gives from Node 23 on, as far as tfjs-node is concerned. */
const newerUtil = (): Record<string, unknown> => ({ promisify: () => undefined });

it("puts back the functions that Node 23 removed", () => {
  const util = newerUtil();
  restoreUtilFunctions(util);
  const isNullOrUndefined = util.isNullOrUndefined as (value: unknown) => boolean;
  const isArray = util.isArray as (value: unknown) => boolean;
  expect([null, undefined, 0, ""].map(isNullOrUndefined)).toEqual([true, true, false, false]);
  expect([[], { length: 0 }].map(isArray)).toEqual([true, false]);
  expect(Object.keys(util)).toEqual(["promisify"]);
});

it("leaves alone what is there", () => {
  const isArray = () => true;
  const util = { ...newerUtil(), isArray };
  restoreUtilFunctions(util);
  expect(util.isArray).toBe(isArray);
});

it("finds the util module of the running Node, and does nothing without one", () => {
  restoreUtilFunctions();
  const util = process.getBuiltinModule("node:util");
  expect(util).toHaveProperty("isNullOrUndefined");
  expect(util).toHaveProperty("isArray");
  restoreUtilFunctions(undefined);
});
