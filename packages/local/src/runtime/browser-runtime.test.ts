import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { createBrowserRuntime } from "./browser-runtime.js";

/** Globals of Node, which has no WebGPU of its own. */
const node = { process: { versions: { node: "20.18.1" } } };

describe("createBrowserRuntime", () => {
  it("takes WebAssembly in Node, with the threads asked for, and says why", async () => {
    expect(await createBrowserRuntime({ threads: 2 }, node)).toMatchObject({
      name: "wasm",
      threads: 2,
      reason: "there is no WebGPU here",
    });
    expect(await createBrowserRuntime({ runtime: "wasm" }, node)).toMatchObject({
      name: "wasm",
      threads: 1,
      reason: "asked for",
    });
  });

  it("takes WebAssembly where WebGPU is there without an adapter", async () => {
    const navigator = { gpu: { requestAdapter: async () => null }, hardwareConcurrency: 3 };
    expect(await createBrowserRuntime({}, { ...node, navigator })).toMatchObject({
      name: "wasm",
      threads: 3,
      reason: "WebGPU has no adapter here",
    });
  });

  it("fails with the remedy when WebGPU is asked for and is not there", async () => {
    await expect(createBrowserRuntime({ runtime: "webgpu" }, node)).rejects.toMatchObject({
      code: "missing_dependency",
      message: 'the WebGPU runtime does not compute: there is no WebGPU here; choose the runtime "wasm"',
    });
  });

  it.each([
    [{ threads: 0 }, "threads must be a positive whole number, got 0"],
    [{ runtime: "native" }, 'runtime must be one of auto, webgpu, wasm, got "native"'],
  ])("refuses %j", async (options, message) => {
    // A program without types may pass the second.
    const creating = createBrowserRuntime(options as { runtime: "wasm" }, node);
    await expect(creating).rejects.toThrow(ValidationError);
    await expect(creating).rejects.toThrow(message);
  });
});
