import { TinkexError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { loadTfjs, type TfjsPackage } from "./load-tfjs.js";
import { tf } from "./tf.js";

/** What Node's loader says of a package that is not there. */
const notFound = (name: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /somewhere/load-tfjs.js`), {
    code: "ERR_MODULE_NOT_FOUND",
  });

const missing = (name: string): TfjsPackage => ({ name, load: () => Promise.reject(notFound(name)) });

function broken(name: string, message: string): TfjsPackage {
  return { name, load: () => Promise.reject(new Error(message)) };
}

const errorOf = (packages: readonly TfjsPackage[]): Promise<unknown> =>
  loadTfjs(packages).then(
    () => undefined,
    (error: unknown) => error,
  );

describe("loadTfjs", () => {
  it("finds the tfjs that is installed, gradients registered", async () => {
    expect(await loadTfjs()).toBe(tf);
    expect(tf.getGradient("Square")).toBeDefined();
  });

  it("takes the first package that loads", async () => {
    const core: TfjsPackage = { name: "core", load: async () => tf };
    expect(await loadTfjs([missing("whole"), core])).toBe(tf);
  });

  it("names the install command when there is none", async () => {
    const error = await errorOf([missing("whole"), missing("core")]);
    expect(error).toBeInstanceOf(TinkexError);
    expect(error).toMatchObject({
      code: "missing_dependency",
      message:
        "@tinkex/tensor/tfjs needs tfjs, which is not installed. Install it: npm install @tensorflow/tfjs",
    });
  });

  it("tells a package that is broken from one that is missing, and keeps its error", async () => {
    const error = await errorOf([broken("whole", "Unexpected token\nat line 3"), missing("core")]);
    expect(error).toMatchObject({
      message:
        "@tinkex/tensor/tfjs needs tfjs, which cannot be loaded (whole: Unexpected token). Install it: npm install @tensorflow/tfjs",
      cause: new Error("Unexpected token\nat line 3"),
    });
  });

  it("does not call a package missing that lacks one of its own", async () => {
    const error = await errorOf([{ name: "whole", load: () => Promise.reject(notFound("seedrandom")) }]);
    expect(error).toMatchObject({
      message: expect.stringMatching(/cannot be loaded \(whole: Cannot find package 'seedrandom'/),
    });
  });
});
