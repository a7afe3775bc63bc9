import { TinkexError, ValidationError } from "@tinkex/base";
import { afterEach, describe, expect, it } from "vitest";
import { BACKENDS, type Backend, type BackendName } from "./backends.js";
import { pickBackend } from "./pick-backend.js";
import { describeOnEachBackend } from "./testing/describe-on-each-backend.js";
import { tf } from "./tf.js";

/** A backend of that name which no tfjs has, and what its package does when it is imported. */
function unknownBackend(name: BackendName, load: Backend["load"]): Backend {
  return { name, tfjsName: `unknown-${name}`, packageName: `@tensorflow/tfjs-${name}`, load };
}

const isMissing = (name: string) => async () => {
  throw Object.assign(new Error(`Cannot find package '@tensorflow/tfjs-${name}'`), {
    code: "ERR_MODULE_NOT_FOUND",
  });
};
const cpu = BACKENDS.filter(({ name }) => name === "cpu");

describeOnEachBackend("pickBackend, asked for one", (backend) => {
  it("makes it the active one, and says so", async () => {
    const choice = await pickBackend({ backend });
    expect(choice.backend).toBe(backend);
    expect(choice.tfjsName).toBe(tf.getBackend());
    expect(choice.reason).toBe(`${backend}, as asked for`);
  });

  it("computes and differentiates", () => {
    const [value, gradient] = tf.tidy(() => {
      const x = tf.tensor([1, 2, 3]);
      const { value, grad } = tf.valueAndGrad((input) => tf.sum(tf.square(input)))(x);
      return [value.dataSync()[0], Array.from(grad.dataSync())];
    });
    expect(value).toBe(14);
    expect(gradient).toEqual([2, 4, 6]);
  });
});

describe("pickBackend", () => {
  afterEach(async () => {
    await pickBackend({ backend: "cpu" });
  });

  it("takes the first that works, and says why not the ones before it", async () => {
    const backends = [
      unknownBackend("tfjs-node", isMissing("tfjs-node")),
      unknownBackend("wasm", async () => {
        throw new Error("no WebAssembly here\nand more");
      }),
      ...cpu,
    ];
    expect(await pickBackend({}, { tf, backends })).toEqual({
      backend: "cpu",
      tfjsName: "cpu",
      reason: "cpu; not tfjs-node: it is not installed; not wasm: no WebAssembly here",
    });
    expect(tf.getBackend()).toBe("cpu");
  });

  it("passes over a package that registers nothing, as tfjs-node does in a browser", async () => {
    const backends = [unknownBackend("tfjs-node", async () => ({})), ...cpu];
    const { reason } = await pickBackend({}, { tf, backends });
    expect(reason).toBe("cpu; not tfjs-node: it does not run on this platform");
  });

  it("passes over a backend that does not start", async () => {
    const failing = unknownBackend("wasm", async () => {
      tf.registerBackend("unknown-wasm", async () => {
        throw new Error("out of memory");
      });
    });
    const { reason } = await pickBackend({}, { tf, backends: [failing, ...cpu] });
    expect(reason).toBe("cpu; not wasm: it does not start");
    tf.removeBackend(failing.tfjsName);
  });

  it.each<[string, () => Promise<never>]>([
    ["does not start", () => Promise.reject(new Error("out of memory"))],
    ["throws as it starts", (): never => expect.fail("out of memory")],
  ])("leaves the active one in place when the one asked for %s", async (_name, factory) => {
    await pickBackend({ backend: "cpu" });
    const tensor = tf.tensor([1, 2]);
    const failing = unknownBackend("wasm", async () => {
      tf.registerBackend("unknown-wasm", factory);
    });
    const picked = pickBackend({ backend: "wasm" }, { tf, backends: [failing, ...cpu] });
    await expect(picked).rejects.toMatchObject({ code: "missing_dependency" });
    tf.removeBackend(failing.tfjsName);
    expect(tf.getBackend()).toBe("cpu");
    const sum = tf.sum(tensor);
    expect(Array.from(sum.dataSync())).toEqual([3]);
    tf.dispose([tensor, sum]);
  });

  it("prepares a backend that somebody else has loaded already", async () => {
    const calls: string[] = [];
    const loaded: Backend = {
      name: "cpu",
      tfjsName: "cpu",
      packageName: "@tensorflow/tfjs-backend-cpu",
      load: async () => calls.push("load"),
      prepare: () => calls.push("prepare"),
    };
    await pickBackend({}, { tf, backends: [loaded] });
    expect(calls).toEqual(["prepare"]);
  });

  it("names the install command of the one asked for", async () => {
    const backends = [unknownBackend("tfjs-node", isMissing("tfjs-node")), ...cpu];
    const picked = pickBackend({ backend: "tfjs-node" }, { tf, backends });
    await expect(picked).rejects.toThrow(TinkexError);
    await expect(picked).rejects.toMatchObject({
      code: "missing_dependency",
      message:
        "tfjs has no backend that works here (tfjs-node: it is not installed). Install one: npm install @tensorflow/tfjs-tfjs-node",
    });
  });

  it("refuses a name it does not know", async () => {
    // @ts-expect-error plain JavaScript may pass any text
    const picked = pickBackend({ backend: "webgpu" });
    await expect(picked).rejects.toThrow(ValidationError);
    await expect(picked).rejects.toThrow('backend: "webgpu" is none of auto, tfjs-node, wasm, cpu');
  });

  it("refuses a misspelt option, which would mean auto", async () => {
    // @ts-expect-error plain JavaScript may pass any name
    const picked = pickBackend({ backed: "cpu" });
    await expect(picked).rejects.toThrow('unknown field "backed", did you mean "backend"?');
  });

  it("refuses options that are none", async () => {
    // @ts-expect-error plain JavaScript may pass the name itself
    const named = pickBackend("cpu");
    await expect(named).rejects.toThrow('options must be an object, e.g. { backend: "cpu" }, got "cpu"');
    // @ts-expect-error or nothing
    await expect(pickBackend(null)).rejects.toThrow(/options must be an object, .*, got null/);
  });

  it("leaves tensors usable on the next backend", async () => {
    await pickBackend({ backend: "wasm" });
    const tensor = tf.tensor([1, 2]);
    await pickBackend({ backend: "cpu" });
    const doubled = tf.mul(tensor, 2);
    expect(Array.from(doubled.dataSync())).toEqual([2, 4]);
    tf.dispose([tensor, doubled]);
  });
});
