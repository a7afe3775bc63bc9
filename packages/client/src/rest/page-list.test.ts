import { ResponseError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { type OpenService, openService } from "../testing/open-service.js";
import type { StubService } from "../testing/stub-service.js";

/** Names `<letter><count>` down to `<letter>1`, as a list has them: newest first. */
const names = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${count - index}`);

const run = (id: string) => ({
  training_run_id: id,
  base_model: "m",
  model_owner: "owner",
  is_lora: true,
  last_request_time: "2026-08-01T12:00:00Z",
});

/** A list at the service: `page(offset, limit, read)` is what it has at that place at its `read`-th answer, from 1. */
type Page = (offset: number, limit: number, read: number) => readonly string[];

/** Serves sessions, whose pages do not tell how long the list is, and gives the offsets that were asked for. */
function serveSessions({ stub }: OpenService, page: Page): number[] {
  return answerPages(stub, "sessions?", (offset, limit, read) => ({ sessions: page(offset, limit, read) }));
}

/** Serves training runs, whose pages tell the length of the list. */
function serveRuns({ stub }: OpenService, page: Page, total: (read: number) => number): number[] {
  return answerPages(stub, "training_runs?", (offset, limit, read) => ({
    training_runs: page(offset, limit, read).map(run),
    cursor: { offset, limit, total_count: total(read) },
  }));
}

function answerPages(
  stub: StubService,
  beginning: string,
  body: (offset: number, limit: number, read: number) => object,
): number[] {
  const offsets: number[] = [];
  stub.fallback = ({ path }) => {
    if (!path.startsWith(beginning)) return { status: 404 };
    const query = new URLSearchParams(path.slice(beginning.length));
    const offset = Number(query.get("offset"));
    offsets.push(offset);
    return { body: body(offset, Number(query.get("limit")), offsets.length) };
  };
  return offsets;
}

describe("a list that is walked while new items come", () => {
  it.each([
    ["push a whole page on to the next place", 4, 4],
    ["push three pages on", 4, 12],
    ["push part of a page on", 4, 5],
    ["are as many as the list has", 4, 12],
    ["come while items are read one by one", 1, 5],
  ])("is given to its end where they %s, though nothing tells its length", async (_, pageSize, newOnes) => {
    const open = await openService();
    const [old, later] = [names("s", 12), names("n", newOnes)];
    serveSessions(open, (offset, limit, read) =>
      (read === 1 ? old : [...later, ...old]).slice(offset, offset + limit),
    );
    const found = await open.service.rest.sessions({ pageSize }).toArray();
    expect(found.filter((id) => id.startsWith("s"))).toEqual(old);
    expect(new Set(found).size).toBe(found.length);
  });

  it("is given to its end where more come with every page", async () => {
    const open = await openService();
    const all = [...names("n", 40), ...names("s", 12)];
    serveSessions(open, (offset, limit, read) => {
      const start = Math.max(0, 40 - (read - 1) * 3);
      return all.slice(start + offset, start + offset + limit);
    });
    const found = await open.service.rest.sessions({ pageSize: 4 }).toArray();
    expect(found.slice(0, 12)).toEqual(names("s", 12));
    expect(found).toHaveLength(12);
  });

  it.each([
    ["a whole page", 4],
    ["more pages than may come again", 120],
  ])("ends where its length says, after %s of new ones", async (_, newOnes) => {
    const open = await openService();
    const [old, later] = [names("s", 12), names("n", newOnes)];
    const offsets = serveRuns(
      open,
      (offset, limit, read) => (read === 1 ? old : [...later, ...old]).slice(offset, offset + limit),
      (read) => 12 + (read === 1 ? 0 : newOnes),
    );
    const found = await open.service.rest.trainingRuns({ pageSize: 4 }).toArray();
    const ids = found.map(({ training_run_id: id }) => id);
    expect(ids.filter((id) => id.startsWith("s"))).toEqual(old);
    expect(new Set(ids).size).toBe(ids.length);
    expect(offsets.at(-1)).toBe(12 + newOnes - 4);
  });
});

describe("a list that is walked while items are deleted", () => {
  /** Serves training runs that the test takes away, newest first. */
  async function serveLeft(count: number) {
    const open = await openService();
    const left = names("s", count);
    const offsets = serveRuns(
      open,
      (offset, limit) => left.slice(offset, offset + limit),
      () => left.length,
    );
    const remove = (id: string): void => {
      left.splice(left.indexOf(id), 1);
    };
    return { rest: open.service.rest, left, offsets, remove };
  }

  it.each([
    [8, 2],
    [7, 2],
    [9, 3],
    [5, 1],
    [4, 4],
    [3, 10],
  ])("gives all of %d where each is deleted as it comes, %d a page", async (count, pageSize) => {
    const { rest, left, remove } = await serveLeft(count);
    const given: string[] = [];
    for await (const { training_run_id: id } of rest.trainingRuns({ pageSize })) {
      given.push(id);
      remove(id);
    }
    expect(left).toEqual([]);
    expect(given.toSorted()).toEqual(names("s", count).toSorted());
  });

  it("gives each once where every second one is deleted, and some that have not come yet", async () => {
    const { rest, left, remove } = await serveLeft(20);
    const given: string[] = [];
    for await (const { training_run_id: id } of rest.trainingRuns({ pageSize: 4 })) {
      given.push(id);
      if (given.length % 2 === 0) remove(id);
      if (given.length === 4) remove("s1");
    }
    expect(given.toSorted()).toEqual(names("s", 20).slice(0, -1).toSorted());
    expect(left.every((id) => given.includes(id))).toBe(true);
  });

  it("gives all that are left where new ones come at the same time", async () => {
    const { rest, left, remove } = await serveLeft(12);
    const given: string[] = [];
    for await (const { training_run_id: id } of rest.trainingRuns({ pageSize: 3 })) {
      given.push(id);
      if (id.startsWith("s")) remove(id);
      if (given.length % 3 === 0 && given.length < 10) left.unshift(`n${given.length}`);
    }
    expect(given.filter((id) => id.startsWith("s")).toSorted()).toEqual(names("s", 12).toSorted());
    expect(new Set(given).size).toBe(given.length);
  });

  it("asks for no page twice where nothing goes", async () => {
    const { rest, offsets } = await serveLeft(8);
    expect(await rest.trainingRuns({ pageSize: 2 }).toArray()).toHaveLength(8);
    expect(offsets).toEqual([0, 2, 4, 6]);
  });
});

describe("a list of a server without places", () => {
  it("has its one page of sessions once, and ends after a few questions", async () => {
    const open = await openService();
    const offsets = serveSessions(open, () => ["a", "b"]);
    const pages: unknown[] = [];
    for await (const page of open.service.rest.sessions({ pageSize: 2 }).pages()) pages.push(page);
    expect(pages).toEqual([{ sessions: ["a", "b"] }]);
    expect(offsets).toHaveLength(12);
  });

  it("has its one page of runs once, although it says that there are many", async () => {
    const open = await openService();
    const offsets = serveRuns(
      open,
      () => ["a", "b"],
      () => 1_000_000,
    );
    expect(await open.service.rest.trainingRuns({ pageSize: 2 }).toArray()).toHaveLength(2);
    expect(offsets).toHaveLength(12);
  });

  it("ends with an error that names the method where old pages come in turn for ever", async () => {
    const open = await openService();
    const pages = [
      ["a", "b"],
      ["b", "c"],
      ["c", "a"],
    ];
    const sessions = serveSessions(open, (_, __, read) => pages[read % 3] ?? []);
    const failure = await open.service.rest
      .sessions({ pageSize: 2 })
      .toArray()
      .then(undefined, (error: unknown) => error);
    expect(failure).toBeInstanceOf(ResponseError);
    expect(String(failure)).toContain("sessions: the service gave 101 pages in a row without a new item");
    expect(sessions.length).toBeLessThan(120);
  });

  it("gives an item once that one page has twice", async () => {
    const open = await openService();
    serveSessions(open, (offset) => (offset === 0 ? ["a", "a", "b"] : []));
    expect(await open.service.rest.sessions({ pageSize: 3 }).toArray()).toEqual(["a", "b"]);
  });
});

describe("a search whose pages are told apart by what they end with", () => {
  const found = (id: string) => ({
    session_id: id,
    owner: "o",
    project_id: "p",
    created_at: "2026-08-01T12:00:00Z",
    checkpoints_count: 0,
  });
  const next_cursor = { last_created_at: "2026-08-01T12:00:00.123456+00:00", last_session_id: "a" };

  it("goes on behind a page on which nothing is left", async () => {
    const { stub, service } = await openService();
    stub.script(
      "sessions/search",
      { body: { sessions: [found("a")], next_cursor } },
      { body: { sessions: [], next_cursor: { ...next_cursor, last_session_id: "b" } } },
      { body: { sessions: [found("c")] } },
    );
    const ids = (await service.rest.foundSessions().toArray()).map(({ session_id: id }) => id);
    expect(ids).toEqual(["a", "c"]);
  });

  it("ends where the service says for ever that more come", async () => {
    const { stub, service } = await openService();
    stub.on("sessions/search", () => ({ body: { sessions: [], next_cursor } }));
    await expect(service.rest.foundSessions().toArray()).rejects.toThrow(
      "foundSessions: the service gave 101 pages in a row without a new item",
    );
    stub.on("sessions/search", () => ({ body: { sessions: [found("a")], next_cursor } }));
    expect(await service.rest.foundSessions().toArray()).toHaveLength(1);
  });
});
