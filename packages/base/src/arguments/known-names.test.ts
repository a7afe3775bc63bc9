import { expect, it } from "vitest";
import { checkKnownNames } from "./check-argument.js";
import { describeKind } from "./describe-value.js";

interface Options {
  readonly baseUrl?: string;
  readonly apiKey?: string;
}
const KNOWN = { baseUrl: true, apiKey: true } as const;

it("lets known names pass, values of any kind among them", () => {
  const options: Options = { baseUrl: "x" };
  expect(() => checkKnownNames(options, KNOWN, "options")).not.toThrow();
});

it("names an unknown one, and what was probably meant", () => {
  const options: Options = { baseURL: "x" } as Options;
  expect(() => checkKnownNames(options, KNOWN, "options")).toThrow(
    'options: unknown field "baseURL", did you mean "baseUrl"?',
  );
});

it("names the place of a field that belongs elsewhere, also of one that is misspelt", () => {
  const check = (value: object) =>
    checkKnownNames<Options>(value, KNOWN, "params", { max_tokens: "in limits" });
  expect(() => check({ max_tokens: 1 })).toThrow('params: unknown field "max_tokens": it belongs in limits');
  expect(() => check({ maxTokens: 1 })).toThrow('did you mean "max_tokens"? It belongs in limits');
  expect(() => check({ baseURL: 1 })).toThrow('did you mean "baseUrl"?');
  expect(() => check({ toString: 1 })).toThrow('"toString" (known: baseUrl, apiKey)');
});

it("names one of the same words where none is spelt alike", () => {
  const check = (value: object) =>
    checkKnownNames<Options>(value, KNOWN, "params", { max_tokens: "in limits" });
  expect(() => check({ key: 1 })).toThrow('params: unknown field "key", did you mean "apiKey"?');
  expect(() => check({ max_new_tokens: 1 })).toThrow('did you mean "max_tokens"? It belongs in limits');
});

it("takes no inherited name for a known one, and lists the names where none is near", () => {
  const options: Options = { toString: "x" } as Options;
  expect(() => checkKnownNames(options, KNOWN, "options")).toThrow(
    'options: unknown field "toString" (known: baseUrl, apiKey)',
  );
});

it("sees inherited names too, which a reader of the object would", () => {
  const options: Options = Object.create({ apikey: "x" });
  expect(() => checkKnownNames(options, KNOWN, "options")).toThrow('did you mean "apiKey"?');
});

it.each([[null], [undefined], ["cpu"], [3], [[]], [Promise.resolve({})]])(
  "refuses %o, which is no object",
  (value) => {
    expect(() => checkKnownNames(value as unknown as Options, KNOWN, "options")).toThrow(
      `options must be an object, got ${describeKind(value)}`,
    );
  },
);
