import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { CheckpointPath } from "./checkpoint-path.js";

describe("CheckpointPath", () => {
  it.each([
    ["tinker://r/weights/a", "r", "training", "weights/a"],
    ["tinker://a:train:0/sampler_weights/0001", "a:train:0", "sampler", "sampler_weights/0001"],
    ["tinker://r/external_weights/a", "r", "external", "external_weights/a"],
    ["tinker://r/weights/%20", "r", "training", "weights/%20"],
  ])("wire-types 34, newest-wire 19: %s", (path, run, type, id) => {
    expect(CheckpointPath.parse(path)).toEqual({
      tinker_path: path,
      training_run_id: run,
      checkpoint_type: type,
      checkpoint_id: id,
    });
  });

  it.each([
    ["tinker://r/weights", "three parts"],
    ["tinker://r/weights/a/b", "three parts"],
    ["tinker://r/Weights/a", 'got "Weights"'],
    ["tinker://r/constructor/a", 'got "constructor"'],
    ["TINKER://r/weights/a", "does not begin with tinker://"],
    [" tinker://r/weights/a", "does not begin with tinker://"],
    ["tinker:///weights/x", "training run is empty"],
    ["tinker://r/weights/", "checkpoint name is empty"],
  ])("wire-types 34: %j is not a path", (path, fault) => {
    expect(() => CheckpointPath.parse(path)).toThrow(ValidationError);
    expect(() => CheckpointPath.parse(path)).toThrow(fault);
  });

  it("writes what it reads", () => {
    expect(CheckpointPath.format("r", "sampler", "step-40")).toBe("tinker://r/sampler_weights/step-40");
    expect(() => CheckpointPath.format("r", "training", "a/b")).toThrow("three parts");
    const misspelt = () => CheckpointPath.format("r", "trainin" as "training", "a");
    expect(misspelt).toThrow('must be one of training, sampler, external, got "trainin"');
    expect(() => CheckpointPath.parse(undefined as never)).toThrow("undefined is not a checkpoint path");
    expect(() => CheckpointPath.format("", "training", "a")).toThrow("training run is empty");
  });
});
