import { it } from "vitest";
import { swiGlu, swiGluBackward } from "./swiglu.js";
import { expectGradientsToMatch } from "./testing/gradient-check.js";

it("has the gradient of its forward half", () =>
  expectGradientsToMatch({
    inputs: { gate: [3, 4], up: [3, 4] },
    write(graph, { gate, up }) {
      const saved = swiGlu(graph, gate, up);
      return { output: saved.output, backward: (gradient) => swiGluBackward(graph, saved, gradient) };
    },
  }));
