import { ResponseError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { json } from "../testing/test-transport.js";
import { readToken } from "./read-token.js";

describe("readToken", () => {
  it("gives the token of the exchange's answer", () => {
    expect(readToken(json({ jwt: "eyJ0.e30.s" }))).toBe("eyJ0.e30.s");
  });

  it.each([
    json({}),
    json({ jwt: 5 }),
    json({ jwt: "" }),
    json({ jwt: "eyJcanary\nx-evil: 1" }),
    json({ jwt: "é" }),
    json(null),
    new TextEncoder().encode("<html>canary"),
  ])("refuses what is no token and shows nothing of it: %#", (body) => {
    expect(() => readToken(body)).toThrow(ResponseError);
    expect(() => readToken(body)).not.toThrow(/canary/);
  });
});
