import { describe, expect, it } from "vitest";
import { readFixture } from "../testing/read-fixture.js";
import { modelRenderers, rendererNameFor, rendererNamesFor } from "./model-renderers.js";

interface RecordedNumbers {
  readonly get_lr: Readonly<Record<string, { readonly renderers?: readonly string[] }>>;
}

describe("rendererNamesFor", () => {
  it("knows the recorded models with their renderers, and our own", () => {
    const { get_lr } = readFixture("recipe-numbers") as RecordedNumbers;
    const recorded = Object.entries(get_lr).flatMap(([model, { renderers }]) =>
      renderers === undefined ? [] : [[model, renderers] as const],
    );
    expect(recorded).toHaveLength(46);
    expect(modelRenderers).toEqual({
      ...Object.fromEntries(recorded),
      "tinkex/pocket-1": ["role_colon"],
      "tinkex/pocket-2": ["qwen3_instruct", "qwen3_disable_thinking", "llama3", "role_colon"],
    });
  });

  it("has all of them but those of a family whose layout is not public", () => {
    for (const [model, names] of Object.entries(modelRenderers)) {
      if (model.includes("Kimi-K3")) {
        expect(() => rendererNamesFor(model)).toThrow(/registerRenderer/);
      } else expect(rendererNamesFor(model)).toEqual(names);
    }
  });

  it("strips the suffix of a variant", () => {
    expect(rendererNameFor("Qwen/Qwen3-8B:peft:131072")).toBe("qwen3");
  });

  it("suggests the nearest model, and none where all are far", () => {
    expect(() => rendererNameFor("Qwen/Qwen3-8b-base")).toThrow(/did you mean "Qwen\/Qwen3-8B-Base"\?/);
    expect(() => rendererNameFor("x")).toThrow(/fit the model "x"; name a renderer yourself/);
  });
});
