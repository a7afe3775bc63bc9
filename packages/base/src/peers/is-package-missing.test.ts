import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { isPackageMissing } from "./is-package-missing.js";

const require = createRequire(import.meta.url);
const ABSENT = "nobody-installed-this";

function errorOf(load: () => unknown): unknown {
  try {
    return load();
  } catch (error) {
    return error;
  }
}

it("knows what Node's loader says of a package that is not installed", () => {
  const error = errorOf(() => require(ABSENT));
  expect(isPackageMissing(ABSENT, error)).toBe(true);
});

it("does not call a package missing that lacks one of its own, or that is broken", () => {
  const error = errorOf(() => require(ABSENT));
  expect(isPackageMissing("its-user", error)).toBe(false);
  expect(isPackageMissing("broken", new SyntaxError("Cannot find package 'broken'"))).toBe(false);
  expect(isPackageMissing("thrown", "Cannot find package 'thrown'")).toBe(false);
});

it("knows what an import says of it", () => {
  const error = Object.assign(new Error("Cannot find package 'lost' imported from /somewhere/index.js"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  expect(isPackageMissing("lost", error)).toBe(true);
});
