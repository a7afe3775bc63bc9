import { describe, expect, it } from "vitest";
import { deprecationNote } from "./deprecation-note.js";

describe("deprecationNote", () => {
  it("newest-clients 43: a note is a warning, or an error where its level says so", () => {
    expect(deprecationNote({ "x-deprecation-note": " old " })).toEqual({ level: "warn", text: "old" });
    expect(deprecationNote({ "x-deprecation-note": "old", "x-deprecation-level": " ERROR " })).toEqual({
      level: "error",
      text: "old",
    });
    expect(deprecationNote({})).toBeUndefined();
  });
});
