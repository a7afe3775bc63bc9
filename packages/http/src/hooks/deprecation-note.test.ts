import { describe, expect, it } from "vitest";
import { deprecationNote } from "./deprecation-note.js";

describe("deprecationNote", () => {
  it("newest-clients 43: a note is a warning, or an error where its level says so", () => {
    expect(deprecationNote({ "x-deprecation-note": " old " }, [])).toEqual({ level: "warn", text: "old" });
    expect(deprecationNote({ "x-deprecation-note": "old", "x-deprecation-level": " ERROR " }, [])).toEqual({
      level: "error",
      text: "old",
    });
    expect(deprecationNote({}, [])).toBeUndefined();
  });

  it("shows neither the key nor control characters", () => {
    const note = deprecationNote({ "x-deprecation-note": "\u009b2J tml%2Dcanary is old" }, ["tml-canary"]);
    expect(note?.text).toBe("\\u009b2J [redacted] is old");
  });
});
