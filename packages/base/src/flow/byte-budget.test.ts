import { describe, expect, it } from "vitest";
import { ValidationError } from "../errors/api-errors.js";
import { isOver } from "../testing/is-over.js";
import { ByteBudget } from "./byte-budget.js";
import type { Release } from "./wait-queue.js";

const never = new AbortController().signal;

describe("ByteBudget", () => {
  it("transport 63: lets in whoever comes while the balance is not negative, whatever it asks for", async () => {
    const budget = new ByteBudget(10);
    const four = await budget.acquire(4, never);
    const six = await budget.acquire(6, never);
    const hundred = await budget.acquire(100, never);
    const one = budget.acquire(1, never);
    four();
    six();
    expect(await isOver(one)).toBe(false);
    hundred();
    expect(await isOver(one)).toBe(true);
  });

  it("transport 64: lets one through even without any budget", async () => {
    const budget = new ByteBudget(0);
    const release = await budget.acquire(5, never);
    const next = budget.acquire(5, never);
    expect(await isOver(next)).toBe(false);
    release();
    expect(await isOver(next)).toBe(true);
  });

  it("transport 65: keeps its balance when a wait is aborted or a release comes twice", async () => {
    const budget = new ByteBudget(0);
    const release = await budget.acquire(1, never);
    const controller = new AbortController();
    const aborted = budget.acquire(1, controller.signal);
    controller.abort(new Error("gone"));
    await expect(aborted).rejects.toThrow("gone");
    release();
    release();
    const held = await budget.acquire(1, never);
    const waiting = budget.acquire(1, never);
    expect(await isOver(waiting)).toBe(false);
    held();
    expect(await isOver(waiting)).toBe(true);
  });

  it("is fair: a small request does not pass a large one that waits", async () => {
    const budget = new ByteBudget(0);
    const release = await budget.acquire(1, never);
    const order: string[] = [];
    const large = budget.acquire(1000, never).then((give: Release) => {
      order.push("large");
      give();
    });
    const small = budget.acquire(1, never).then(() => order.push("small"));
    release();
    await Promise.all([large, small]);
    expect(order).toEqual(["large", "small"]);
  });

  it.each([Number.POSITIVE_INFINITY, Number.NaN, -1, 2 ** 53, "1", null, undefined, 1n])(
    "refuses to hand out %s bytes, and goes on for all others",
    async (bytes) => {
      const budget = new ByteBudget(10);
      // As it comes from a server, whose words nobody has checked.
      await expect(budget.acquire(bytes as number, never)).rejects.toBeInstanceOf(ValidationError);
      const release = await budget.acquire(11, never);
      const next = budget.acquire(1, never);
      expect(await isOver(next)).toBe(false);
      release();
      expect(await isOver(next)).toBe(true);
      expect(() => new ByteBudget(bytes as number)).toThrow(/must be a number of bytes/);
    },
  );
});
