import type { ToolCall } from "../../messages/message.js";
import { JsonNumber, type JsonValue, readJson } from "../../text/json-value.js";
import { comparePoints, writeJson } from "../../text/write-json.js";
import { argumentsOf } from "../../tool-calls/call-arguments.js";

/** Writes a call as `{"name":"add","args":{"a":1}}`: arguments in the order of their code points, what is in them as it was given. */
export function writeTmlCall(call: ToolCall): string {
  const args = [...argumentsOf(call)].sort(([a], [b]) => comparePoints(a, b));
  const written = new Map<string, unknown>([
    ["name", call.function.name],
    ["args", new Map(args)],
  ]);
  return writeJson(written, { compact: true, numbers: (text) => rustNumber(text, "e") });
}

/**
 * Writes the tools of a declaration as the model is shown them: flat, with sorted keys.
 * @returns undefined where the text is no JSON list of tools, each `{"type": "function", "function": {"name": …}}`
 */
export function readDeclarations(text: string): string | undefined {
  const tools = readJson(text);
  if (!Array.isArray(tools)) return undefined;
  const declared = tools.map(declaration);
  if (declared.includes(undefined)) return undefined;
  return writeJson(declared, {
    compact: true,
    sortKeys: true,
    numbers: (number) => rustNumber(number, "e+"),
  });
}

function declaration(tool: JsonValue): Readonly<Record<string, JsonValue>> | undefined {
  const called = tool instanceof Map ? tool.get("function") : undefined;
  if (!(tool instanceof Map) || !(called instanceof Map)) return undefined;
  const [name, description, type] = [called.get("name"), called.get("description"), tool.get("type")];
  const parameters = called.get("parameters") ?? new Map();
  if (typeof name !== "string" || !(parameters instanceof Map)) return undefined;
  return {
    description: typeof description === "string" ? description : "",
    name,
    parameters,
    type: typeof type === "string" ? type : "function",
  };
}

/**
 * Reads a call as {@link writeTmlCall} writes it.
 *
 * @param author - the name in front of it, `""` for none
 * @returns undefined where it is none, or of another tool than the one in front of it
 */
export function readTmlCall(text: string, author: string): ToolCall["function"] | undefined {
  const call = readJson(text);
  if (!(call instanceof Map) || call.size !== 2) return undefined;
  const [name, args] = [call.get("name"), call.get("args")];
  if (typeof name !== "string" || name === "" || (author !== "" && author !== name)) return undefined;
  const read = args instanceof Map ? withRustNumbers(args) : undefined;
  return read === undefined ? undefined : { name, arguments: writeJson(read, { asciiOnly: true }) };
}

/** Integers that 64 bits hold, as Rust's `serde_json` keeps them; others become floats. */
function isInteger(text: string): boolean {
  if (!/^-?\d{1,20}$/.test(text)) return false;
  const value = BigInt(text);
  return value >= -(2n ** 63n) && value < 2n ** 64n;
}

/** A number as Python prints it, as Rust prints it: exponents without zeros, and one place longer without one. */
function rustNumber(text: string, exponent: "e" | "e+"): string {
  if (/^-?\d+$/.test(text)) {
    return isInteger(text) ? text : rustNumber(writeJson(new JsonNumber(`${text}.0`)), exponent);
  }
  const found = /^(-?)(\d)(?:\.(\d{1,20}))?e([+-])0*(\d{1,3})$/.exec(text);
  if (found === null) return text;
  const [, sign = "", digit = "", decimals = "", direction, power = ""] = found;
  if (direction === "-" && power === "5") return `${sign}0.0000${digit}${decimals}`;
  const point = decimals === "" ? "" : ".";
  return `${sign}${digit}${point}${decimals}${direction === "-" ? "e-" : exponent}${power}`;
}

/** A value whose numbers are what Rust reads; undefined where one is beyond what a float holds. */
function withRustNumbers(value: JsonValue): JsonValue | undefined {
  if (value instanceof JsonNumber) {
    if (!Number.isFinite(Number(value.text))) return undefined;
    if (!/^-?\d+$/.test(value.text)) return value;
    return isInteger(value.text) && value.text !== "-0" ? value : new JsonNumber(`${value.text}.0`);
  }
  if (Array.isArray(value)) {
    const items = value.map(withRustNumbers);
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (!(value instanceof Map)) return value;
  const members = new Map<string, JsonValue>();
  for (const [name, member] of value) {
    const read = withRustNumbers(member);
    if (read === undefined) return undefined;
    members.set(name, read);
  }
  return members;
}
