import { type RecordName, recordSchemas, toJsonSchema } from "@tinkex/types";
import { expect, it } from "vitest";
import { recordsPage } from "./records-page.js";

/** The rows of the page whose record has fields and a schema. */
const rows = [...recordsPage().matchAll(/^\| `(\w+)` \|.*\| (`[^|]*`) \| `\w+Schema` \|$/gm)].flatMap(
  ([, name = "", fields = ""]) =>
    fields.includes('"')
      ? []
      : [{ name, fields: [...fields.matchAll(/`(\w+\??)`/g)].map(([, field = ""]) => field) }],
);

it("finds the records that have fields and a schema", () => {
  expect(rows.length).toBeGreaterThan(90);
});

it.each(rows)("the schema of $name has the fields of its interface", ({ name, fields }) => {
  const { properties = {}, required = [] } = toJsonSchema(recordSchemas[name as RecordName]) as {
    properties?: Record<string, { default?: unknown }>;
    required?: string[];
  };
  expect(Object.keys(properties).sort()).toEqual(fields.map((field) => field.replace("?", "")).sort());
  for (const field of fields) {
    const name = field.replace("?", "");
    if (field.endsWith("?")) {
      // It may say what a server takes for it then.
      expect(required, field).not.toContain(name);
      continue;
    }
    // What is always there in the interface is required on the wire, or filled in.
    expect(required.includes(name) || properties[name]?.default !== undefined, field).toBe(true);
  }
});
