import { expect, it } from "vitest";
import { findChromium } from "./find-chromium.mjs";

it("takes the one that CHROMIUM_PATH names before any other", () => {
  expect(findChromium({ CHROMIUM_PATH: "/opt/chromium" }, () => true)).toEqual({ path: "/opt/chromium" });
});

it("takes none in place of one that was named and is not there", () => {
  const exists = (path: string) => path === "/usr/bin/chromium";
  expect(findChromium({ CHROMIUM_PATH: "/opt/none" }, exists)).toEqual({
    missing: "CHROMIUM_PATH names /opt/none, which does not exist",
  });
});

it("looks where browsers usually are, and says what to do where there is none", () => {
  expect(findChromium({}, (path) => path === "/usr/bin/google-chrome")).toEqual({
    path: "/usr/bin/google-chrome",
  });
  expect(findChromium({}, () => false)).toEqual({
    missing: "there is no Chromium: see tooling/browser/README.md",
  });
});
