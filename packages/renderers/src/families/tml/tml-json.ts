import { refusal } from "../../messages/check-messages.js";
import { declaredTools } from "../../messages/declared-tools.js";
import type { Message, ToolCall } from "../../messages/message.js";
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
 *
 * @throws ValidationError naming the message, where it declares none
 */
export function writeDeclarations(message: Message, index: number): string {
  const declared = declaredTools(message, index).map((tool) => {
    const called = tool.get("function");
    const fields = called instanceof Map ? called : new Map<string, JsonValue>();
    const [name, description, type] = [fields.get("name"), fields.get("description"), tool.get("type")];
    const parameters = fields.get("parameters") ?? new Map();
    if (typeof name !== "string" || !(parameters instanceof Map)) {
      throw refusal(
        index,
        "declares a tool without a name, or with parameters that are no object",
        "use declareTools",
      );
    }
    return {
      description: typeof description === "string" ? description : "",
      name,
      parameters,
      type: typeof type === "string" ? type : "function",
    };
  });
  return writeJson(declared, {
    compact: true,
    sortKeys: true,
    numbers: (number) => rustNumber(number, "e+"),
  });
}

/**
 * Reads a call as {@link writeTmlCall} writes it.
 *
 * @param author - the name in front of it, `""` for none
 * @returns undefined where it is none, or of another tool than the one in front of it
 */
export function readTmlCall(text: string, author: string): ToolCall["function"] | undefined {
  const call = readJson(text, readRustNumber);
  if (!(call instanceof Map) || call.size !== 2) return undefined;
  const [name, args] = [call.get("name"), call.get("args")];
  if (typeof name !== "string" || name === "" || (author !== "" && author !== name)) return undefined;
  return args instanceof Map ? { name, arguments: writeJson(args, { asciiOnly: true }) } : undefined;
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

/** Reads a number as Rust does: of 64 bits, or a float. */
function readRustNumber(text: string): JsonNumber {
  if (!Number.isFinite(Number(text))) throw new SyntaxError(text);
  const isFloat = /^-?\d+$/.test(text) && (text === "-0" || !isInteger(text));
  return new JsonNumber(isFloat ? `${text}.0` : text);
}
