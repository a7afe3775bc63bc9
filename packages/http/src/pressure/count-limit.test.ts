import { describe, expect, it } from "vitest";
import { isOver } from "../testing/is-over.js";
import { CountLimit } from "./count-limit.js";

const never = new AbortController().signal;

describe("CountLimit", () => {
  it("hands a place that is given back to the next in line", async () => {
    const limit = new CountLimit(2);
    const first = await limit.acquire(never);
    await limit.acquire(never);
    const third = limit.acquire(never);
    const fourth = limit.acquire(never);
    expect(await isOver(third)).toBe(false);
    first();
    first();
    expect(await isOver(third)).toBe(true);
    expect(await isOver(fourth)).toBe(false);
  });

  it("frees the place of a wait that is aborted", async () => {
    const limit = new CountLimit(1);
    const release = await limit.acquire(never);
    const controller = new AbortController();
    const aborted = limit.acquire(controller.signal);
    const next = limit.acquire(never);
    controller.abort(new Error("gone"));
    await expect(aborted).rejects.toThrow("gone");
    release();
    expect(await isOver(next)).toBe(true);
  });
});
