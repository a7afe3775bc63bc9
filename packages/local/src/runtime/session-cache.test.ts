import { expect, it } from "vitest";
import type { OnnxGraph } from "../onnx/onnx-graph.js";
import type { Outputs, Runtime } from "./runtime.js";
import { SessionCache } from "./session-cache.js";

const graphOf = (name: string): OnnxGraph => ({
  model: new TextEncoder().encode(name),
  inputs: [],
  outputs: [],
  operators: [],
});

const noOutputs: Outputs = {
  tensor: () => {
    throw new Error("only counted");
  },
  float32: () => {
    throw new Error("only counted");
  },
};

/** Compiles to sessions that only count, fails as often as told, and ends a run when `finish` of its graph is called. */
function countingRuntime({ failures = 0, holds = "" } = {}) {
  const compiled: string[] = [];
  const released: string[] = [];
  let finish: (outputs: Outputs) => void = () => {};
  const held = new Promise<Outputs>((resolve) => {
    finish = resolve;
  });
  const runtime: Runtime = {
    name: "wasm",
    threads: 1,
    reason: "counting",
    async compile({ model }) {
      const name = new TextDecoder().decode(model);
      compiled.push(name);
      if (compiled.length <= failures) throw new Error("no memory");
      return {
        run: async () => (name === holds ? held : noOutputs),
        async release() {
          released.push(name);
        },
      };
    },
  };
  return { runtime, compiled, released, finish: () => finish(noOutputs) };
}

function open(options?: Parameters<typeof countingRuntime>[0], capacity?: number) {
  const counted = countingRuntime(options);
  const cache = new SessionCache(counted.runtime, capacity);
  const run = (name: string) => cache.graph(name, () => graphOf(name)).run({});
  return { ...counted, cache, run };
}

it("compiles a graph once for runs that ask at the same time", async () => {
  const { run, compiled } = open();
  await Promise.all([run("a"), run("a")]);
  await run("b");
  await run("a");
  expect(compiled).toEqual(["a", "b"]);
});

it("tries again after a failure", async () => {
  const { run, compiled } = open({ failures: 1 });
  await expect(run("a")).rejects.toThrow("no memory");
  await run("a");
  expect(compiled).toEqual(["a", "a"]);
});

it("releases the least recently used session for one more, before that is compiled", async () => {
  const { run, compiled, released } = open({}, 2);
  for (const name of ["a", "b", "a", "c"]) await run(name);
  expect(released).toEqual(["b"]);
  await run("b");
  expect(released).toEqual(["b", "a"]);
  expect(compiled).toEqual(["a", "b", "c", "b"]);
});

it("keeps a session that runs, and releases it afterwards", async () => {
  const { run, released, finish } = open({ holds: "a" }, 1);
  const running = run("a");
  await run("b");
  expect(released).toEqual(["b"]);
  await run("c");
  expect(released).toEqual(["b", "c"]);
  finish();
  await running;
  await run("d");
  expect(released).toEqual(["b", "c", "a"]);
});

it("tells those who waited until a graph was compiled for how long, and nobody who found it there", async () => {
  const { cache } = open({ failures: 1 });
  const waited: string[] = [];
  const run = (name: string) =>
    cache
      .graph(
        "a",
        () => graphOf("a"),
        (ms) => waited.push(`${name} ${ms >= 0}`),
      )
      .run({});
  await expect(run("failed")).rejects.toThrow("no memory");
  await Promise.all([run("first"), run("second")]);
  await run("third");
  expect(waited).toEqual(["first true", "second true"]);
});

it("releases every session", async () => {
  const { cache, run, released } = open();
  await run("a");
  await run("b");
  await cache.release();
  expect(released).toEqual(["a", "b"]);
});
