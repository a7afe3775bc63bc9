import { JsonLiteral } from "./json-literal.js";

/**
 * Gives the values of a custom-loss graph with their numbers as the graph format writes them: floats always with a fraction or an
 * exponent, integers without, NaN and infinities as `{"float": "nan"}` and so on. Nulls stay: they are data here.
 */
export function graphLiterals(value: unknown): unknown {
  if (typeof value === "number") return numberLiteral(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(graphLiterals);
  if ("float" in value) return typeof value.float === "number" ? floatLiteral(value.float) : value;
  if ("dict" in value) return { dict: graphLiteralsByName(value.dict) };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, graphLiterals(member)]));
}

/** Does the same for a map of values, in which a name such as `float` means nothing. */
export function graphLiteralsByName(map: unknown): unknown {
  const entries = Object.entries(map as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.map(([name, value]) => [name, graphLiterals(value)]));
}

/** Writes a number without mark: an integer when it is one, but -0 exists as a float only. */
function numberLiteral(value: number): unknown {
  return Number.isInteger(value) && !Object.is(value, -0)
    ? new JsonLiteral(BigInt(value).toString())
    : floatLiteral(value);
}

function floatLiteral(value: number): unknown {
  if (Number.isNaN(value)) return { float: "nan" };
  if (!Number.isFinite(value)) return { float: value > 0 ? "inf" : "-inf" };
  const text = Object.is(value, -0) ? "-0" : String(value);
  return new JsonLiteral(/[.e]/.test(text) ? text : `${text}.0`);
}
