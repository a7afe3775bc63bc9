import { describe, expect, it } from "vitest";
import { createTextReader } from "./text-reader.js";

describe("createTextReader", () => {
  it("goes forward by what it takes, and stands still where it takes nothing", () => {
    const reader = createTextReader("<a> \u3000b</a>c");
    expect([reader.take("<b>"), reader.take("<a>")]).toEqual([false, true]);
    reader.skipSpace();
    expect([reader.takeUntil("</b>"), reader.takeUntil("</a>")]).toEqual([undefined, "b"]);
    expect([reader.rest(), reader.since(3), reader.isAtEnd()]).toEqual(["c", " \u3000b</a>", false]);
    expect([reader.take("c"), reader.isAtEnd(), reader.take("c")]).toEqual([true, true, false]);
  });

  it("looks for a pattern from where it stands, whatever the pattern found before", () => {
    const end = /;\s*/g;
    const [first, second] = [createTextReader("a;  b;c"), createTextReader("d;e")];
    expect([first.takeUntil(end), second.takeUntil(end), first.takeUntil(end)]).toEqual(["a", "d", "b"]);
    expect([first.takeUntil(end), first.rest()]).toEqual([undefined, "c"]);
  });
});
