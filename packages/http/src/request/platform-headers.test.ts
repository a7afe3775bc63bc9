import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { VERSION } from "../version.js";
import { platformHeaders } from "./platform-headers.js";

describe("platformHeaders", () => {
  it("uses the API's words for machines", () => {
    expect(platformHeaders({ platform: "darwin", arch: "arm64", version: "v20.18.1" }, "0.38.0")).toEqual({
      "x-stainless-package-version": "0.38.0",
      "x-stainless-os": "MacOS",
      "x-stainless-arch": "arm64",
      "x-stainless-runtime": "node",
      "x-stainless-runtime-version": "v20.18.1",
    });
    expect(platformHeaders({ platform: "plan9", arch: "riscv64", version: "v1" }, "1")).toMatchObject({
      "x-stainless-os": "Other:plan9",
      "x-stainless-arch": "other:riscv64",
    });
  });
});

describe("VERSION", () => {
  it("is the package's", () => {
    expect(VERSION).toBe(manifest.version);
  });
});
