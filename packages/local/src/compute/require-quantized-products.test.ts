import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { createRuntime } from "../runtime/create-runtime.js";
import { requireQuantizedProducts } from "./require-quantized-products.js";

describe("requireQuantizedProducts", () => {
  it.each(["float32", "int8", "int4"] as const)("lets the native runtime have %s weights", async (format) => {
    const runtime = await createRuntime({ runtime: "native", threads: 1 });
    await expect(requireQuantizedProducts(runtime, format)).resolves.toBeUndefined();
  });

  it.each(["int8", "int4"] as const)(
    "refuses %s weights in WebAssembly, and names the remedies",
    async (format) => {
      const runtime = await createRuntime({ runtime: "wasm", threads: 1 });
      const attempt = requireQuantizedProducts(runtime, format);
      await expect(attempt).rejects.toThrow(ValidationError);
      await expect(attempt).rejects.toThrow(
        `weights must be "float32" here, got "${format}": the wasm runtime (asked for) has no product with`,
      );
      await expect(attempt).rejects.toThrow("leave the option runtime out");
      const unasked = requireQuantizedProducts({ ...runtime, reason: "it does not load" }, format);
      await expect(unasked).rejects.toThrow("install onnxruntime-node");
    },
  );

  it("lets WebAssembly have weights that are float32", async () => {
    const runtime = await createRuntime({ runtime: "wasm", threads: 1 });
    await expect(requireQuantizedProducts(runtime, "float32")).resolves.toBeUndefined();
  });
});
