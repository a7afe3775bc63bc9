import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { kimiToolTypes } from "./kimi-tool-types.js";

/** The type that a parameter gets, beside its name. */
function typeOf(schema: unknown): string {
  const parameters = { type: "object", properties: { p: schema } };
  const text = kimiToolTypes([{ name: "f", description: "", parameters }]);
  return /type f = \(_: \{\n([\s\S]*)\n\}\) => any;/.exec(text)?.[1] ?? expect.fail(text);
}

describe("kimiToolTypes", () => {
  // What tinker-cookbook 0.6.1 declares of the same schemas.
  it.each([
    [{ type: ["integer", "array"], items: { type: "string" } }, "  p?: number | Array<any>"],
    [{ type: "null" }, "  p?: null"],
    [{ enum: [true, 1.5, "x"] }, '  p?: True | 1.5 | "x"'],
    [{ type: "integer", enum: [1, 2], description: "e" }, "  // e\n  p?: 1 | 2"],
    [{}, "  p?: any"],
    [
      {
        anyOf: [
          { type: "string", description: "s" },
          { type: "array", items: { type: "integer" } },
        ],
        default: 1,
      },
      "  // Default: 1\n  p?: string | Array<number>",
    ],
    [
      { type: "number", minimum: 1, maximum: 2, exclusiveMinimum: 0 },
      "  // maximum: 2, minimum: 1\n  p?: number",
    ],
    [
      { type: "array", description: "AD", items: { type: "string", description: "D", maxLength: 3 } },
      "  // AD\n  p?: Array<\n    // D\n    // maxLength: 3\n    string\n  >",
    ],
    [
      { type: "array", items: { type: "array", items: { type: "string", description: "in" } } },
      "  p?: Array<Array<\n    // in\n    string\n  >>",
    ],
    [
      { type: "object", additionalProperties: { type: "object", properties: { k: { type: "string" } } } },
      "  p?: {\n    [k: string]: {\n      k?: string\n    }\n  }",
    ],
    [{ type: "object", additionalProperties: false }, "  p?: {\n    [k: string]: never\n  }"],
    [{ type: "boolean", default: false }, "  // Default: False\n  p?: boolean"],
    [{ type: "object", default: { k: true } }, '  // Default: {"k": true}\n  p?: {}'],
  ])("says %j", (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  });

  it("sorts fields, required ones in front, and declares what is defined beside them", () => {
    const node = { type: "object", description: "A node", properties: { next: { $ref: "#/$defs/Node" } } };
    const parameters = {
      type: "object",
      properties: { z: { type: "string" }, C: { type: "string" }, b: { $ref: "#/$defs/Node" } },
      required: ["z", "b"],
      $defs: { Node: node },
    };
    expect(kimiToolTypes([{ name: "f", description: "One\ntwo", parameters }])).toBe(
      `# Tools

## functions
namespace functions {
// A node
interface Node {
  next?: Node
}
// One
// two
type f = (_: {
  b: Node,
  z: string,
  C?: string
}) => any;
}
`,
    );
  });

  it.each([{ oneOf: [] }, { const: 1 }, { $ref: "#/definitions/Other" }])(
    "refuses %j by its place",
    (schema) => {
      expect(() => typeOf(schema)).toThrow(ValidationError);
      expect(() => typeOf(schema)).toThrow("tools.f.parameters.p has");
    },
  );
});
