import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type CallPath, LIMITS, sizeOf } from "./call-path.js";
import { CALL_NAMES, type CallName } from "./calls.js";
import { measureCalls } from "./measure-calls.js";
import { ENTERED, noteEntries } from "./note-entries.mjs";
import { countDeclarations } from "./public-declarations.js";
import { ROOT } from "./relative-path.mjs";

describe("measureCalls", () => {
  let paths: Readonly<Record<CallName, CallPath>>;
  beforeAll(async () => {
    paths = await measureCalls();
  }, 120_000);

  it.each(CALL_NAMES)("counts files and functions of %s in the packages it goes through", (name) => {
    const { total, byPackage } = sizeOf(paths[name]);
    // The data of a pass is checked where it is cast, without a schema.
    const checker = name === "forwardBackward" ? "tensor" : "types";
    expect(Object.keys(byPackage)).toEqual(expect.arrayContaining(["client", "http", "wire", checker]));
    expect(total.files).toBeGreaterThan(20);
    expect(total.functions).toBeGreaterThan(total.files);
  });

  it.each(CALL_NAMES)("finds the way of %s no longer than its limit", (name) => {
    const { total } = sizeOf(paths[name]);
    const { files = Number.POSITIVE_INFINITY, functions = Number.POSITIVE_INFINITY } = LIMITS[name];
    expect(total.files).toBeLessThanOrEqual(files);
    expect(total.functions).toBeLessThanOrEqual(functions);
  });

  it.each(CALL_NAMES)("enters the method of %s first", (name) => {
    const [first = ""] = paths[name].filesInOrder;
    expect(first).toMatch(name === "sample" ? /\/sampling-client\.ts$/ : /\/training-client\.ts$/);
    expect(paths[name].functions[first]).toContain(name);
  });

  it.each(CALL_NAMES)("lists the same files of %s in order as coverage counts", (name) => {
    const { functions, filesInOrder } = paths[name];
    expect([...filesInOrder].sort()).toEqual(Object.keys(functions).sort());
  });

  it("enters the files of http that its README lists, in that order", () => {
    const readme = readFileSync(join(ROOT, "packages", "http", "README.md"), "utf8");
    const listed = [...readme.matchAll(/^\d+\. \[[^\]]+\]\([^)]+\/blob\/main\/([^)]+)\)/gm)].map(
      ([, file]) => file,
    );
    for (const name of CALL_NAMES) {
      const entered = paths[name].filesInOrder.filter((file) => file.startsWith("packages/http/src/"));
      // Limits on what the client submits stand beside the way of a request.
      expect(
        entered.filter((file) => !file.includes("/pressure/")),
        name,
      ).toEqual(listed);
    }
  });

  it("takes a longer way with a datum than without one", () => {
    const [pass, step] = [sizeOf(paths.forwardBackward), sizeOf(paths.optimStep)];
    expect(pass.total.files).toBeGreaterThan(step.total.files);
    expect(pass.byPackage.tensor?.files).toBeGreaterThan(0);
    expect(step.byPackage.tensor).toBeUndefined();
  });

  it("counts functions as they are written, with no helper of a bundler among them", () => {
    const names = CALL_NAMES.flatMap((name) => Object.values(paths[name].functions).flat());
    expect(names).toContain("optimStep");
    expect(names).not.toContain("__name");
  });
});

describe("sizeOf", () => {
  it("adds files and functions up by package", () => {
    const functions = {
      "packages/a/src/x.ts": ["f", ""],
      "packages/a/src/y.ts": ["g"],
      "packages/b/src/x.ts": ["h"],
    };
    expect(sizeOf({ functions, filesInOrder: [] })).toEqual({
      total: { files: 3, functions: 4 },
      byPackage: { a: { files: 2, functions: 3 }, b: { files: 1, functions: 1 } },
    });
  });
});

describe("noteEntries", () => {
  const code = `
    export function declared(x: number): number { return x; }
    export const arrow = (x: number) => (y: number) => ({ sum: x + y });
    export class Box extends Array<number> {
      readonly #size: number = 1;
      constructor() { super(); this.push(this.#size); }
      get first() { return this[0]; }
      static of() { return new Box(); }
    }
    export async function* each() { yield* [1, 2]; }`;

  interface Noted {
    declared(x: number): number;
    arrow(x: number): (y: number) => { sum: number };
    Box: { of(): { first: number } };
    each(): AsyncIterable<number>;
  }

  async function load(file: string): Promise<Noted> {
    return import(`data:text/javascript,${encodeURIComponent(noteEntries(code, file))}`);
  }

  it("notes the file of each kind of function at its call, and changes nothing else", async () => {
    const entered = new Set<string>();
    Reflect.set(globalThis, ENTERED, entered);
    const module = await load("one.ts");
    const enteredBy = async (call: () => unknown): Promise<readonly unknown[]> => {
      entered.clear();
      return [await call(), ...entered];
    };
    expect(entered.size).toBe(0);
    expect(await enteredBy(() => module.declared(3))).toEqual([3, "one.ts"]);
    expect(await enteredBy(() => module.arrow(3))).toEqual([expect.any(Function), "one.ts"]);
    const inner = module.arrow(3);
    expect(await enteredBy(() => inner(4))).toEqual([{ sum: 7 }, "one.ts"]);
    const box = module.Box.of();
    expect(await enteredBy(() => box.first)).toEqual([1, "one.ts"]);
    const iterated = async () => {
      const values: number[] = [];
      for await (const value of module.each()) values.push(value);
      return values;
    };
    expect(await enteredBy(iterated)).toEqual([[1, 2], "one.ts"]);
  });
});

describe("countDeclarations", () => {
  const code = [
    'import { A } from "a";',
    "//#region src/x.d.ts",
    "/** Not exported. */",
    "interface Hidden {",
    "  readonly a: A;",
    "}",
    "/** Exported. */",
    "declare class Shown {",
    "  use(hidden: Hidden): void;",
    "}",
    "declare const one: 1, two: 2;",
    "//#endregion",
    "type Alias = Hidden;",
    "export { Shown, type Alias as Other };",
    "",
  ].join("\n");

  it("counts lines, and those of declarations that are not exported, with their comments", () => {
    expect(countDeclarations(code)).toEqual({ total: 14, internal: 5, internalNames: ["Hidden", "one"] });
  });

  it("counts members that are marked as internal", () => {
    const members =
      "  /**\n   * Made by others.\n   *\n   * @internal\n   */\n  constructor(a: 1);\n  run(): void;\n";
    const { internal } = countDeclarations(`declare class A {\n${members}}\nexport { A };\n`);
    expect(internal).toBe(6);
  });

  it("takes what is exported where it is declared for exported", () => {
    const { internal } = countDeclarations(
      "export interface A {}\nexport declare const b: 1;\ninterface C {}\n",
    );
    expect(internal).toBe(1);
  });
});

describe("the declarations of @tinkex/client", () => {
  it("declare nothing that a program cannot import", () => {
    // `npm test` builds the packages first.
    const built = readFileSync(join(ROOT, "packages", "client", "dist", "index.d.ts"), "utf8");
    expect(countDeclarations(built)).toMatchObject({ internal: 0, internalNames: [] });
  });
});
