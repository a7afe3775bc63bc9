import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { CallScope } from "./call-scope.js";
import { FifoLimit } from "./fifo-limit.js";

const scope = (signal?: AbortSignal): CallScope =>
  new CallScope("test", new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) }), {
    signal,
  });

describe("FifoLimit", () => {
  it("lets so many in, and the others in the order they came", async () => {
    const limit = new FifoLimit(2);
    const order: number[] = [];
    expect([limit.enterAtOnce(), limit.enterAtOnce(), limit.enterAtOnce()]).toEqual([true, true, false]);
    const waiting = [1, 2, 3].map((n) => limit.enterInTurn(scope()).then(() => order.push(n)));
    limit.leave();
    // Somebody waits: a newcomer may not slip in.
    expect(limit.enterAtOnce()).toBe(false);
    limit.leave();
    limit.leave();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it("a call that ends while it waits leaves the line", async () => {
    const limit = new FifoLimit(1);
    const controller = new AbortController();
    limit.enterAtOnce();
    const gone = limit.enterInTurn(scope(controller.signal));
    const next = limit.enterInTurn(scope());
    controller.abort("enough");
    await expect(gone).rejects.toMatchObject({ code: "aborted" });
    limit.leave();
    await next;
    limit.leave();
    expect(limit.enterAtOnce()).toBe(true);
  });
});
