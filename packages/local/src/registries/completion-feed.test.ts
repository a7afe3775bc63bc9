import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { CompletionFeed } from "./completion-feed.js";

const never = new AbortController().signal;
const done = (request_id: string) => ({ request_id, state: "finished" }) as const;

function makeFeed() {
  const clock = new FakeClock({ startMs: 1_800_000_000_000 });
  return { clock, feed: new CompletionFeed(clock) };
}

describe("CompletionFeed", () => {
  it("tells what finished behind a cursor, again and again until a later cursor is given", async () => {
    const { feed } = makeFeed();
    for (const id of ["a", "b"]) feed.add(done(id));
    const first = { completions: [done("a"), done("b")], cursor: 2 };
    expect(await feed.read(0, 0, never)).toEqual(first);
    expect(await feed.read(0, 0, never)).toEqual(first);
    expect(await feed.read(1, 0, never)).toEqual({ completions: [done("b")], cursor: 2 });
    feed.add(done("c"));
    expect(await feed.read(2, 0, never)).toEqual({ completions: [done("c")], cursor: 3 });
    expect(await feed.read(3, 0, never)).toEqual({ completions: [], cursor: 3 });
    // A completion that was left behind does not come back.
    expect(await feed.read(0, 0, never)).toEqual({ completions: [], cursor: 3 });
  });

  it("holds a reader until something finishes, or as long as it may", async () => {
    const { clock, feed } = makeFeed();
    const heard = feed.read(0, 20_000, never);
    await clock.advance(19_000);
    feed.add(done("a"));
    expect(await heard).toEqual({ completions: [done("a")], cursor: 1 });
    const silent = feed.read(1, 20_000, never);
    await clock.advance(20_000);
    expect(await silent).toEqual({ completions: [], cursor: 1 });
    expect(clock.sleeping).toBe(0);
  });

  it("lets a reader go that has hung up", async () => {
    const { clock, feed } = makeFeed();
    const gone = new AbortController();
    const reading = feed.read(0, 20_000, gone.signal);
    gone.abort(new Error("hung up"));
    await expect(reading).rejects.toThrow("hung up");
    expect(clock.sleeping).toBe(0);
  });

  it("gives many in several answers", async () => {
    const { feed } = makeFeed();
    for (let count = 0; count < 2_500; count += 1) feed.add(done(`r${count}`));
    const seen: string[] = [];
    for (let cursor = 0; seen.length < 2_500; ) {
      const answer = await feed.read(cursor, 0, never);
      seen.push(...answer.completions.map(({ request_id }) => request_id));
      cursor = answer.cursor;
    }
    expect(new Set(seen).size).toBe(2_500);
  });

  it("gives all to a reader whose cursor is of an earlier life of the server", async () => {
    const { feed } = makeFeed();
    feed.add(done("a"));
    expect(await feed.read(5, 0, never)).toEqual({ completions: [done("a")], cursor: 1 });
    expect(await feed.read(5, 0, never)).toEqual({ completions: [done("a")], cursor: 1 });
    expect(await feed.read(1, 0, never)).toEqual({ completions: [], cursor: 1 });
  });

  it("tells no more of what is gone, and keeps the cursors of the others", async () => {
    const { feed } = makeFeed();
    for (const id of ["a", "b", "c"]) feed.add(done(id));
    feed.forget("b");
    feed.forget("never came");
    expect(await feed.read(0, 0, never)).toEqual({ completions: [done("a"), done("c")], cursor: 3 });
    expect(await feed.read(1, 0, never)).toEqual({ completions: [done("c")], cursor: 3 });
    feed.forget("c");
    expect(await feed.read(1, 0, never)).toEqual({ completions: [], cursor: 1 });
  });
});
