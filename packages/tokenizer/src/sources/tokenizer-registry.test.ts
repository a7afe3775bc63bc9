import { ValidationError } from "@tinkex/base";
import { expect, it } from "vitest";
import { TokenizerRegistry } from "./tokenizer-registry.js";

const source = () => undefined;
const other = () => undefined;

it("finds a source by its exact name, then by the longest beginning", () => {
  const registry = new TokenizerRegistry();
  registry.register("TML/", source);
  expect(registry.find("TML/x")).toBe(source);
  expect(registry.find("TMLx", "Qwen/Qwen3-8B")).toBeUndefined();
  registry.register("TML/x*", other);
  expect(registry.find("TML/xy")).toBe(other);
  expect(registry.find("TML/y")).toBe(source);
  const exact = () => undefined;
  registry.register("TML/xy", exact);
  expect(registry.find("TML/xy")).toBe(exact);
  expect(registry.find("a/b", "TML/xy")).toBe(exact);
});

it("takes a source out, but not the one that replaced it", () => {
  const registry = new TokenizerRegistry();
  const unregister = registry.register("a/b", source);
  registry.register("a/b", other);
  unregister();
  expect(registry.find("a/b")).toBe(other);
  registry.register("a/b", source)();
  expect(registry.find("a/b")).toBeUndefined();
});

it("refuses an empty name", () => {
  expect(() => new TokenizerRegistry().register("", source)).toThrow(ValidationError);
});
