import { FakeClock, settle } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { OperationFailure } from "../errors/operation-failure.js";
import { SequenceQueue } from "../order/sequence-queue.js";
import { Dice } from "../testing/fuzz/dice.js";
import { CompletionFeed } from "./completion-feed.js";
import { FutureStore } from "./future-store.js";

const GAP_MS = 100;
/** Longer than the test moves its clock: whoever is not woken waits for ever. */
const HOLD_MS = 1e9;
const OPERATIONS = 24;

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await settle();
}

function setUp(seed: number) {
  const dice = new Dice(seed, "random operations");
  const clock = new FakeClock();
  const queue = new SequenceQueue({ name: "m", clock, gapTimeoutMs: GAP_MS });
  const store = new FutureStore<number>({
    clock,
    instanceId: "f",
    keepDeliveredMs: HOLD_MS,
    keepUnfetchedMs: HOLD_MS,
  });
  return { dice, clock, queue, store, feed: new CompletionFeed(clock) };
}

type World = ReturnType<typeof setUp>;

/** Polls until the result is there, though some of the connections break. */
async function pollFor({ store, dice }: World, id: string): Promise<string> {
  for (;;) {
    const gone = new AbortController();
    if (dice.hits(0.3)) void turns(dice.below(6)).then(() => gone.abort(new Error("gone")));
    const answer = await store.wait(id, HOLD_MS, gone.signal).catch(() => undefined);
    if (answer !== undefined) return answer.state;
  }
}

/** Reads a feed until it has told of so many futures, though some connections break and some answers are lost. */
async function readFeed({ feed, dice }: World, count: number): Promise<Set<string>> {
  const heard = new Set<string>();
  for (let cursor = 0; heard.size < count; ) {
    const gone = new AbortController();
    if (dice.hits(0.3)) void turns(dice.below(6)).then(() => gone.abort(new Error("gone")));
    const answer = await feed.read(cursor, HOLD_MS, gone.signal).catch(() => undefined);
    if (answer === undefined || dice.hits(0.2)) continue;
    for (const { request_id: id } of answer.completions) heard.add(id);
    cursor = answer.cursor;
  }
  return heard;
}

/** Submits numbered operations in any order: some never arrive, some come twice, fail, are cancelled, or take their time. */
async function submitAll(world: World): Promise<{ ids: Set<string>; ran: number[] }> {
  const { dice, queue, store, feed } = world;
  const ids = new Set<string>();
  const ran: number[] = [];
  const missing = dice.hits(0.5) ? 1 + dice.below(OPERATIONS - 1) : -1;
  const arrivals = Array.from({ length: OPERATIONS }, (_, number) => number)
    .filter((number) => number !== missing)
    .flatMap((number) => (dice.hits(0.2) ? [number, number] : [number]))
    .map((number) => ({ number, key: number + dice.below(6) }))
    .sort((a, b) => a.key - b.key);
  for (const { number } of arrivals) {
    const work = async () => {
      ran.push(number);
      await turns(dice.below(3));
      if (dice.hits(0.2)) throw new OperationFailure("it failed", "user");
      return number;
    };
    const onSettled = (id: string, state: "finished" | "failed") => feed.add({ request_id: id, state });
    const identity = { key: `m ${number}`, fingerprint: "same" };
    const id = store.submit(identity, () => queue.enqueue(number, work), { onSettled });
    ids.add(id);
    if (dice.hits(0.1)) store.cancel(id, new OperationFailure("cancelled", "user"));
    if (dice.hits(0.5)) await turns(dice.below(4));
  }
  return { ids, ran };
}

describe("operations that come, fail and are waited for in any order", () => {
  // More of them: TINKEX_RANDOM_OPERATIONS=5000.
  const count = Number(process.env.TINKEX_RANDOM_OPERATIONS ?? 20);
  const seeds = Array.from({ length: count }, (_, seed) => seed);

  it(`all end, each in its turn, and everybody who waits hears of it (${count} seeds)`, {
    timeout: 60_000 + 500 * count,
  }, async () => {
    for (const seed of seeds) {
      const world = setUp(seed);
      const { ids, ran } = await submitAll(world);
      let open = 0;
      const outcomes: string[] = [];
      const follow = (work: Promise<string>) => {
        open += 1;
        void work.then((outcome) => {
          open -= 1;
          outcomes.push(outcome);
        });
      };
      for (const id of ids)
        for (let poll = world.dice.below(3); poll >= 0; poll -= 1) follow(pollFor(world, id));
      follow(readFeed(world, ids.size).then((heard) => String(heard.size)));
      if (world.dice.hits(0.1)) world.queue.close(new OperationFailure("the model is gone", "user"));
      // The time of a gap begins to run once what came before it has ended.
      for (let round = 0; round < 3 && open > 0; round += 1) {
        for (let turn = 0; turn < 300 && open > 0; turn += 1) await settle();
        await world.clock.advance(GAP_MS);
      }
      expect(open, `those who wait for ever, seed ${seed}`).toBe(0);
      expect(outcomes).toContain(String(ids.size));
      expect(outcomes, `seed ${seed}`).not.toContain("pending");
      expect(ran, `seed ${seed}`).toEqual([...new Set(ran)].sort((a, b) => a - b));
    }
  });
});
