import { ValidationError } from "@tinkex/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../operations/operations.js";
import { requestPath } from "./wire-request.js";

const run = (id: string): string =>
  requestPath(OPERATIONS.get_training_run, { operation: "get_training_run", pathParameters: { run: id } });

describe("requestPath", () => {
  it("fills and escapes path parameters", () => {
    expect(run("run 1/é?#")).toBe("/api/v1/training_runs/run%201%2F%C3%A9%3F%23");
    expect(run("0001:train:0")).toBe("/api/v1/training_runs/0001:train:0");
    expect(run("%3A:")).toBe("/api/v1/training_runs/%253A:");
  });

  it.each(["", ".", "..", "\ud800"])("refuses %j as a segment", (id) => {
    expect(() => run(id)).toThrow(ValidationError);
  });

  it("refuses a parameter that is missing, by name", () => {
    const call = { operation: "get_training_run" };
    expect(() => requestPath(OPERATIONS.get_training_run, call)).toThrow(
      /get_training_run: run must be a name/,
    );
  });

  it("never leaves its segment", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (id) => {
        fc.pre(id !== "." && id !== "..");
        const { pathname, search } = new URL(run(id), "http://h");
        return pathname.split("/").length === 5 && search === "";
      }),
    );
  });

  it("transport 91: queries leave out what is absent or empty", () => {
    const query = { limit: 20, all: true, a: "x y&~*", none: undefined, empty: "", zero: 0, no: false };
    expect(requestPath(OPERATIONS.list_sessions, { operation: "list_sessions", query })).toBe(
      "/api/v1/sessions?limit=20&all=true&a=x+y%26%7E*&zero=0&no=false",
    );
  });
});
