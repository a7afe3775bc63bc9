import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TinkexError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { loadTfjsNow } from "./load-tfjs.js";
import { silenceGreeting } from "./silence-greeting.js";
import { tf } from "./tf.js";

const folder = fileURLToPath(new URL("../../", import.meta.url));

function run(program: string, ...nodeArgs: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...nodeArgs, "-e", program], {
    cwd: folder,
    encoding: "utf8",
  });
  return { stdout, stderr, status };
}

/** `require` takes modules since Node 20.19; the built package is what it takes. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const canRequire = major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
const isBuilt = existsSync(`${folder}dist/tfjs-sync.js`);

describe("the tfjs entry on Node", () => {
  // nfroidure/gulp-ttf2woff2#32, xDimGG/node-steamapi#70: ERR_REQUIRE_ASYNC_MODULE of an entry that awaits at its top.
  it.runIf(canRequire && isBuilt)("is taken by require, and computes without a word on stderr", () => {
    const { stdout, stderr, status } = run(
      `const { tf, pickBackend, toTensor } = require("@tinkex/tensor/tfjs");
pickBackend({ backend: "cpu" }).then(({ backend }) => {
  const sum = tf.sum(toTensor({ data: [1, 2, 3], dtype: "int64" }));
  console.log(backend, sum.dataSync()[0]);
});`,
      "--no-warnings",
    );
    expect({ stdout, stderr, status }).toEqual({ stdout: "cpu 6\n", stderr: "", status: 0 });
  });

  it.runIf(isBuilt)("shares the user's copy of tfjs, imported or required", () => {
    const { stdout, status } = run(
      `import("@tinkex/tensor/tfjs").then(({ tf }) => {
  const own = require("@tensorflow/tfjs");
  console.log(own.square(tf.scalar(3)).dataSync()[0], tf.engine() === own.engine());
});`,
      "--no-warnings",
    );
    expect({ stdout, status }).toEqual({ stdout: "9 true\n", status: 0 });
  });

  it("names the install command without waiting, and the package that is broken", () => {
    const absent = (name: string) => {
      throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
    };
    expect(() => loadTfjsNow(absent)).toThrow(
      "@tinkex/tensor/tfjs needs tfjs, which is not installed. Install it: npm install @tensorflow/tfjs",
    );
    const broken = () => {
      throw new Error("bad build\nof many lines");
    };
    expect(() => loadTfjsNow(broken, ["whole"])).toThrow("cannot be loaded (whole: bad build)");
    expect(() => loadTfjsNow(broken)).toThrow(TinkexError);
    expect(loadTfjsNow(() => tf)).toBe(tf);
  });
});

// tensorflow/tfjs#5349, nextcloud/recognize#30: a greeting on stderr of every program, taken for an error.
describe("the greeting of the cpu backend", () => {
  it("is switched off where there is that backend, made before or later, and nothing is done where there is none", () => {
    const made = { firstUse: true };
    const engine = {
      registry: { cpu: made },
      registryFactory: { cpu: { factory: () => ({ firstUse: true }) } },
    };
    const found = { engine: () => engine } as unknown as typeof tf;
    silenceGreeting(found);
    silenceGreeting(found);
    expect(made.firstUse).toBe(false);
    expect(engine.registryFactory.cpu.factory()).toEqual({ firstUse: false });
    const without = { engine: () => ({ registry: {}, registryFactory: {} }) };
    expect(() => silenceGreeting(without as unknown as typeof tf)).not.toThrow();
  });

  it.runIf(isBuilt)("is not printed where tfjs chooses the backend itself", () => {
    const { stdout, stderr } = run(
      `import("@tinkex/tensor/tfjs").then(({ tf }) => console.log(tf.scalar(3).square().dataSync()[0], tf.getBackend()));`,
      "--no-warnings",
    );
    expect({ stdout, stderr }).toEqual({ stdout: "9 cpu\n", stderr: "" });
  });
});
