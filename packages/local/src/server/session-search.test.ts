import { FakeClock } from "@tinkex/base/testing";
import { checkRequest, type SessionSearchResponse, schemaOf } from "@tinkex/types";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { TestServer } from "../testing/test-server.js";

const START_MS = 1_800_000_000_000;

async function open(server: TestServer, description: object): Promise<string> {
  return String((await server.post("/create_session", description)).body.session_id);
}

function readPage(body: unknown): SessionSearchResponse {
  return checkRequest(schemaOf("SessionSearchResponse"), body, "SessionSearchResponse");
}

async function found(server: TestServer, search: object): Promise<string[]> {
  const { status, body } = await server.post("/sessions/search", search);
  expect(status, JSON.stringify(body)).toBe(200);
  const { sessions } = readPage(body);
  return sessions.map(({ session_id }) => session_id);
}

describe("a search for sessions", () => {
  it("newest-clients 38: finds them by id, name, metadata, project, owner and state", async () => {
    const clock = new FakeClock({ startMs: START_MS });
    const server = await TestServer.start({ clock });
    const first = await open(server, { display_name: "Ablation of Rank", user_metadata: { team: "a" } });
    await clock.advance(1_000);
    const second = await open(server, { display_name: "rank 8", project_id: "p" });
    await clock.advance(1_000);
    const third = await open(server, {});
    await server.post(`/sessions/${second}/finish`, { reason: { type: "errored" } });
    const finished = (reasons?: string[]) => ({ statuses: [{ type: "client_finished", reasons }] });
    const cases: readonly (readonly [object, readonly string[]])[] = [
      [{}, [third, second, first]],
      [{ session_id: second }, [second]],
      [{ session_id: second.slice(0, 8) }, []],
      [{ display_name: "RANK ablation" }, [first]],
      [{ display_name: "rank" }, [second, first]],
      [{ display_name: "ablation", session_id: third }, [third, first]],
      [{ user_metadata: { team: "a" } }, [first]],
      [{ user_metadata: { team: "a", constructor: "x" } }, []],
      [{ project_ids: ["p", "q"] }, [second]],
      [{ project_ids: ["default"] }, [third, first]],
      [{ project_ids: [] }, []],
      [{ owner: { type: "own" } }, [third, second, first]],
      [{ owner: { type: "user", owner_urns: ["tml:user:other"] } }, []],
      [{ owner: { type: "user", owner_urns: ["tml:user:local"] } }, [third, second, first]],
      [{ statuses: [{ type: "active" }] }, [third, first]],
      [finished(), [second]],
      [finished(["errored", "success"]), [second]],
      [finished(["success"]), []],
      [{ statuses: [{ type: "failed" }, { type: "cancelled" }] }, []],
    ];
    for (const [search, expected] of cases)
      expect(await found(server, search), JSON.stringify(search)).toEqual(expected);
    // Its client may be gone, or not: nobody says that it runs.
    await clock.advance(60_000);
    expect(await found(server, { statuses: [{ type: "active" }] })).toEqual([]);
    const { body } = await server.post("/sessions/search", { session_id: first });
    expect(body.sessions).toEqual([
      {
        session_id: first,
        owner: "tml:user:local",
        project_id: "default",
        created_at: new Date(START_MS).toISOString(),
        checkpoints_count: 0,
        checkpoint_storage_bytes: 0,
        display_name: "Ablation of Rank",
        user_metadata: { team: "a" },
      },
    ]);
  });

  it("newest-clients 38: gives pages that meet, also where a client writes the moment of their border otherwise", async () => {
    const clock = new FakeClock({ startMs: START_MS });
    const server = await TestServer.start({ clock });
    const all = new Set<string>();
    // Some are opened at one and the same moment.
    for (let count = 0; count < 7; count += 1) {
      all.add(await open(server, {}));
      if (count % 3 === 2) await clock.advance(1);
    }
    const seen: string[] = [];
    let cursor: { last_created_at: string; last_session_id: string } | undefined;
    let pages = 0;
    do {
      const { body } = await server.post("/sessions/search", { limit: 2, cursor });
      const page = readPage(body);
      seen.push(...page.sessions.map(({ session_id }) => session_id));
      cursor = page.next_cursor && {
        ...page.next_cursor,
        last_created_at: page.next_cursor.last_created_at.replace("Z", "000+00:00"),
      };
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBe(4);
    expect([...seen].sort()).toEqual([...all].sort());
    expect(seen).toEqual(await found(server, {}));
  });

  it("tells how many checkpoints its runs have saved, and how many bytes they take", async () => {
    const server = await TestServer.start();
    const model = await server.createModel();
    await server.run("/save_weights", { model_id: model, path: "a", seq_id: 1 });
    await server.run("/save_weights_for_sampler", { model_id: model, path: "a", seq_id: 2 });
    const { checkpoints } = (await server.get("/checkpoints")).body as {
      readonly checkpoints: readonly { readonly size_bytes: number }[];
    };
    const bytes = checkpoints.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    expect((await server.post("/sessions/search", {})).body.sessions).toMatchObject([
      { checkpoints_count: 2, checkpoint_storage_bytes: bytes },
    ]);
  });

  it("is refused by the name of a field that is wrong", async () => {
    const server = await TestServer.start();
    const wrong: readonly (readonly [object, string])[] = [
      [{ limit: 0 }, "limit"],
      [{ limit: 201 }, "limit"],
      [{ display_name: "" }, "display_name"],
      [{ owner: { type: "nobody" } }, "owner"],
      [{ statuses: [{ type: "asleep" }] }, "statuses"],
      [{ cursor: { last_created_at: "yesterday", last_session_id: "a" } }, "cursor"],
    ];
    for (const [search, field] of wrong) {
      const { status, body } = await server.post("/sessions/search", search);
      expect([status, (body.detail as { loc: string[] }[])[0]?.loc[1]]).toEqual([422, field]);
    }
  });
});

describe("a project", () => {
  it("takes a session with its runs, for lists and for what its checkpoints take, and keeps them over a restart", async () => {
    const dataDirectory = temporaryDirectory();
    const server = await TestServer.start({ dataDirectory });
    const [moved, stays] = [await server.createModel(), await server.createModel()];
    for (const model_id of [moved, stays])
      await server.run("/save_weights", { model_id, path: "a", seq_id: 1 });
    const [session = ""] = moved.split(":");
    const assign = (id: string, body: object) =>
      server.fetch("PUT", `/sessions/${id}/project`, {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
    expect((await assign(session, { project_id: "p1" })).status).toBe(204);
    expect((await assign("none", { project_id: "p1" })).status).toBe(404);
    expect((await assign(session, { project_id: "" })).status).toBe(422);
    expect((await assign(session, { project_id: "p".repeat(2_000) })).status).toBe(400);
    expect((await assign(session, {})).status).toBe(422);
    const later = await server.createModel(session, 1);
    const runs = async (from: TestServer, project: string) => {
      const { body } = await from.get(`/training_runs?access_scope=owned&project_id=${project}`);
      return (body.training_runs as { training_run_id: string }[])
        .map(({ training_run_id }) => training_run_id)
        .sort();
    };
    const storage = async (from: TestServer, query = "") =>
      ((await from.get(`/billing/usage/checkpoints/current${query}`)).body.data as Record<string, unknown>[])
        .map(({ project_id, checkpoint_count }) => [project_id, checkpoint_count])
        .sort();
    const expectMoved = async (from: TestServer) => {
      expect(await runs(from, "p1")).toEqual([moved, later].sort());
      expect(await runs(from, "default")).toEqual([stays]);
      expect(await runs(from, "p2")).toEqual([]);
      expect(await storage(from)).toEqual([
        ["default", 1],
        ["p1", 1],
      ]);
      expect(await storage(from, "?project_id=p1")).toEqual([["p1", 1]]);
      expect(await storage(from, "?project_id=p2")).toEqual([]);
    };
    await expectMoved(server);
    expect(await found(server, { project_ids: ["p1"] })).toEqual([session]);
    await server.running.close();
    await expectMoved(await TestServer.start({ dataDirectory }));
  });
});
