import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as parts from "./loops.js";

const FOLDER = new URL("loops/", import.meta.url);
const ENTRY = readFileSync(new URL("loops.ts", import.meta.url), "utf8");
const MAX_LINES = 150;
const loops = readdirSync(FOLDER).filter((name) => !name.endsWith(".test.ts"));

/** Names that a file takes from other files of this package, and whether each is a type. */
function namesFromHere(source: string): readonly { readonly name: string; readonly isType: boolean }[] {
  return source.split("import ").flatMap((statement) => {
    const [names = "", from = ""] = statement.split(" from ");
    if (!from.startsWith('"../')) return [];
    const isTyped = names.startsWith("type {");
    const listed = names.slice(names.indexOf("{") + 1, names.indexOf("}")).split(",");
    return listed
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .map((name) => ({ name: name.replace("type ", ""), isType: isTyped || name.startsWith("type ") }));
  });
}

it.each(loops)(
  "%s can be copied out: it is short, and all that it takes from here is in @tinkex/recipes/loops",
  (name) => {
    const source = readFileSync(new URL(name, FOLDER), "utf8");
    expect(source.split("\n").length).toBeLessThan(MAX_LINES);
    const taken = namesFromHere(source);
    expect(taken.length).toBeGreaterThan(0);
    const exported = new Set(ENTRY.split(/[{},;\s]+/));
    for (const part of taken) {
      expect(exported.has(part.name), part.name).toBe(true);
      expect(part.isType || part.name in parts, part.name).toBe(true);
    }
  },
);
