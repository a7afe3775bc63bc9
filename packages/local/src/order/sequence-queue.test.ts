import { FakeClock } from "@tinkex/base/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OperationFailure } from "../errors/operation-failure.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import { SequenceQueue } from "./sequence-queue.js";

function makeQueue(clock = new FakeClock({ startMs: 1_800_000_000_000 })) {
  return new SequenceQueue({ name: "model m", clock, gapTimeoutMs: 1000 });
}

describe("SequenceQueue", () => {
  it("endpoints 8: runs in the order of the ids, whatever the order of arrival", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }).chain((size) =>
          fc.shuffledSubarray(
            Array.from({ length: size }, (_, id) => id),
            { minLength: size },
          ),
        ),
        async (arrival) => {
          const queue = makeQueue();
          const order: number[] = [];
          const running = arrival.map((id) =>
            queue.enqueue(id, async () => {
              await Promise.resolve();
              order.push(id);
              return id * 10;
            }),
          );
          expect(await Promise.all(running)).toEqual(arrival.map((id) => id * 10));
          expect(order).toEqual([...arrival].sort((a, b) => a - b));
        },
      ),
    );
  });

  it("runs one operation at a time", async () => {
    const queue = makeQueue();
    let underWay = 0;
    const most: number[] = [];
    const operation = async () => {
      underWay += 1;
      most.push(underWay);
      await new Promise(setImmediate);
      underWay -= 1;
    };
    await Promise.all([0, 1, 2].map((id) => queue.enqueue(id, operation)));
    expect(most).toEqual([1, 1, 1]);
  });

  it("goes on after an operation that failed, also synchronously", async () => {
    const queue = makeQueue();
    const failing = queue.enqueue(0, () => {
      throw new Error("no");
    });
    const next = queue.enqueue(1, async () => "yes");
    await expect(failing).rejects.toThrow("no");
    await expect(next).resolves.toBe("yes");
  });

  it("refuses a number that has passed or waits already", async () => {
    const queue = makeQueue();
    await queue.enqueue(0, async () => {});
    void queue.enqueue(2, async () => {});
    expect(() => queue.enqueue(0, async () => {})).toThrow(RequestRefusal);
    expect(() => queue.enqueue(2, async () => {})).toThrow("; use 3");
    expect(queue.following).toBe(3);
  });

  it("gives up a gap after its time, and goes on behind it", async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const queue = makeQueue(clock);
    await queue.enqueue(0, async () => {});
    const stuck = [queue.enqueue(2, async () => {}), queue.enqueue(4, async () => {})];
    const outcomes = Promise.allSettled(stuck);
    await clock.advance(0);
    await clock.advance(999);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { category: "server" } });
      expect(String(outcome.status === "rejected" && outcome.reason)).toContain(
        "sequence id 1 of model m did not arrive within 1 s",
      );
    }
    await expect(queue.enqueue(5, async () => "on")).resolves.toBe("on");
    expect(() => queue.enqueue(1, async () => {})).toThrow(RequestRefusal);
  });

  it("stops the clock of a gap that is filled, and starts it anew for the next", async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const queue = makeQueue(clock);
    const second = queue.enqueue(1, async () => "second");
    await clock.advance(900);
    await queue.enqueue(0, async () => {});
    await expect(second).resolves.toBe("second");
    expect(clock.sleeping).toBe(0);
    const fourth = queue.enqueue(3, async () => "fourth");
    await clock.advance(900);
    await queue.enqueue(2, async () => {});
    await expect(fourth).resolves.toBe("fourth");
  });

  it("close fails what waits and what comes, and lets the running operation end", async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const queue = makeQueue(clock);
    let finish = () => {};
    const running = queue.enqueue(
      0,
      () =>
        new Promise<string>((resolve) => {
          finish = () => resolve("done");
        }),
    );
    const waiting = queue.enqueue(1, async () => {});
    await Promise.resolve();
    queue.close(new OperationFailure("closed now", "server"));
    await expect(waiting).rejects.toThrow("closed now");
    await expect(queue.enqueue(2, async () => {})).rejects.toThrow("closed now");
    let idle = false;
    const idling = queue.idle().then(() => {
      idle = true;
    });
    await new Promise(setImmediate);
    expect(idle).toBe(false);
    finish();
    await expect(running).resolves.toBe("done");
    await idling;
    expect(clock.sleeping).toBe(0);
  });
});
