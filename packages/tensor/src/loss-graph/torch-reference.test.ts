import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FUNCTIONS, METHODS } from "./operations/operation-table.js";
import { compileLossGraph } from "./program/compile-loss-graph.js";
import { inferTypes } from "./program/infer-types.js";
import type { LossProgram } from "./program/loss-program.js";
import { type make32BitNumbers, runProgram } from "./program/run-program.js";
import {
  graphOf,
  parseTorchCases,
  RECORDER,
  TORCH_CASES,
  type TorchCase,
} from "./testing/torch-reference.js";

const python = process.env.TINKEX_LOSS_GRAPH_PYTHON;

function compiled(torch: TorchCase) {
  const program = compileLossGraph(graphOf(torch), "test");
  const types = inferTypes(program, torch.inputs, "test");
  return { program, types, data: torch.inputs.map(({ data }) => data) };
}

/** Two floats of 32 bits that differ by rounding alone; a sum may lose some digits more. */
function expectClose(actual: number, expected: number, what: string): void {
  // Numbers that are not finite are the same or not.
  if (Object.is(actual, expected)) return;
  const allowed = 1e-6 * Math.max(1, Math.abs(expected));
  expect(Math.abs(actual - expected), `${what}: ${actual}, torch has ${expected}`).toBeLessThanOrEqual(
    allowed,
  );
}

it.each(TORCH_CASES)("newest-wire 32: $name gives torch's loss, metrics and gradient", (torch) => {
  const { program, types, data } = compiled(torch);
  const result = runProgram(program, types, data, "test");
  expectClose(result.loss, torch.loss, "loss");
  expect(program.metrics.map(([name]) => name)).toEqual(Object.keys(torch.metrics));
  for (const [index, [name]] of program.metrics.entries()) {
    expectClose(result.metrics[index] ?? Number.NaN, torch.metrics[name] ?? Number.NaN, name);
  }
  expect(result.gradient).toHaveLength(torch.gradient.length);
  for (const [index, expected] of torch.gradient.entries()) {
    expectClose(result.gradient[index] ?? Number.NaN, expected, `gradient ${index}`);
  }
});

const inDoubles: typeof make32BitNumbers = (_, count) => new Float64Array(count);

/** The loss as a function of the log-probabilities, in doubles. */
function lossAt(program: LossProgram, torch: TorchCase, logprobs: readonly number[]) {
  const types = inferTypes(program, torch.inputs, "test");
  const data = [logprobs, ...torch.inputs.slice(1).map((input) => input.data)];
  return runProgram(program, types, data, "test", inDoubles);
}

it.each(TORCH_CASES.filter(({ isSmooth }) => isSmooth))(
  "$name has the gradient that finite differences give",
  (torch) => {
    const { program } = compiled(torch);
    const [logprobs = []] = torch.inputs.map(({ data }) => data);
    const { gradient } = lossAt(program, torch, logprobs);
    const step = 1e-5;
    for (const [index, value] of logprobs.entries()) {
      const lossWith = (moved: number) => lossAt(program, torch, logprobs.with(index, moved)).loss;
      const slope = (lossWith(value + step) - lossWith(value - step)) / (2 * step);
      const own = gradient[index] ?? Number.NaN;
      const allowed = 1e-6 * Math.max(1, Math.abs(slope));
      expect(Math.abs(own - slope), `element ${index}: ${own}, differences give ${slope}`).toBeLessThan(
        allowed,
      );
    }
  },
);

it("the cases have every operation that the table has", () => {
  const nodes = TORCH_CASES.flatMap((torch) => graphOf(torch).graph.nodes);
  const used = new Set(nodes.map(({ op, target }) => `${op} ${target}`));
  const operationOf = (key: string): unknown => {
    const [op, target = ""] = key.split(" ");
    return (op === "call_function" ? FUNCTIONS : METHODS).get(target);
  };
  const covered = new Set([...used].map(operationOf));
  const missing = [...FUNCTIONS, ...METHODS].filter(([, operation]) => !covered.has(operation));
  expect(missing.map(([target]) => target)).toEqual([]);
});

it("the README lists every operation of the table, by its name", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../../client/README.md"), "utf8");
  const [, chapter = ""] = /By torch's names([^#]*)/.exec(readme) ?? [];
  const listed = [...chapter.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const names = [...FUNCTIONS.keys(), ...METHODS.keys()].map((target) => target.split(".").at(-1));
  expect(new Set(listed)).toEqual(new Set(names));
});

// Runs with TINKEX_LOSS_GRAPH_PYTHON=<a Python with tinker 0.38.0 and torch>.
it.skipIf(python === undefined)(
  "the kept cases are what the official SDK and torch give",
  () => {
    const recorded = parseTorchCases(
      execFileSync(python ?? "", [RECORDER], { encoding: "utf8", maxBuffer: 2 ** 26 }),
    );
    expect(recorded.map(({ name, request }) => ({ name, request }))).toEqual(
      TORCH_CASES.map(({ name, request }) => ({ name, request })),
    );
    for (const [index, { loss, gradient }] of recorded.entries()) {
      expectClose(loss, TORCH_CASES[index]?.loss ?? Number.NaN, "loss");
      for (const [element, value] of gradient.entries()) {
        expectClose(value, TORCH_CASES[index]?.gradient[element] ?? Number.NaN, `gradient ${element}`);
      }
    }
  },
  120_000,
);
