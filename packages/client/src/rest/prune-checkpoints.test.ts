import { ResponseError, ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { openService } from "../testing/open-service.js";
import type { StubService } from "../testing/stub-service.js";
import { thoseThatGo } from "./prune-checkpoints.js";

const DAY_MS = 86_400_000;

/** A checkpoint made so many days after the first of May. */
const made = (id: string, day: number, more: object = {}) => ({
  checkpoint_id: id,
  checkpoint_type: id.startsWith("weights/") ? "training" : "sampler",
  time: new Date(Date.UTC(2026, 4, 1) + day * DAY_MS).toISOString(),
  tinker_path: `tinker://run/${id}`,
  size_bytes: 10,
  ...more,
});

/** Serves the checkpoints of the training run `run`, out of order. */
function serve(stub: StubService, checkpoints: readonly { readonly checkpoint_id: string }[]): void {
  stub.on("training_runs/run/checkpoints", () => ({ body: { checkpoints } }));
  for (const { checkpoint_id: id } of checkpoints)
    stub.on(`training_runs/run/checkpoints/${id}`, () => ({ status: 204, body: "" }));
}

const deletions = (stub: StubService) =>
  stub.requests.filter(({ method }) => method === "DELETE").map(({ path }) => path.split("/checkpoints/")[1]);

const idsOf = (checkpoints: readonly { readonly checkpoint_id: string }[]) =>
  checkpoints.map(({ checkpoint_id: id }) => id);

describe("prune", () => {
  const five = [
    made("weights/3", 3),
    made("weights/1", 1),
    made("weights/2", 2, { public: true }),
    made("weights/4", 4),
    made("sampler_weights/1", 1),
  ];

  it("keeps the newest of each type, and what is published, and deletes the oldest first", async () => {
    const { stub, service } = await openService();
    serve(stub, five);
    const { deleted, kept, freedBytes } = await service.rest.prune("run", { keep: 1 });
    expect(idsOf(deleted)).toEqual(["weights/3", "weights/1"]);
    expect(idsOf(kept)).toEqual(["weights/4", "weights/2", "sampler_weights/1"]);
    expect(freedBytes).toBe(20);
    expect(deletions(stub)).toEqual(["weights/1", "weights/3"]);
    expect(stub.requests.filter(({ method, body }) => method === "DELETE" && body.length > 0)).toEqual([]);
  });

  it("deletes nothing in a dry run, and tells what would go", async () => {
    const { stub, service } = await openService();
    serve(stub, five);
    const { deleted } = await service.rest.prune("run", { keep: 0, dryRun: true, includePublic: true });
    expect(deleted).toHaveLength(5);
    expect(deletions(stub)).toEqual([]);
  });

  it("lets those go that every rule lets go", async () => {
    const { stub, service } = await openService();
    serve(stub, five);
    const olderThan = new Date(Date.UTC(2026, 4, 4));
    await service.rest.prune("run", { keep: 1, olderThan, checkpoint_type: "training", includePublic: true });
    expect(deletions(stub)).toEqual(["weights/1", "weights/2"]);
  });

  it("counts one that is gone meanwhile as deleted, and ends with any other failure", async () => {
    const { stub, service } = await openService();
    serve(stub, five);
    stub.on("training_runs/run/checkpoints/weights/1", () => ({
      status: 404,
      body: { detail: "no checkpoint" },
    }));
    expect((await service.rest.prune("run", { keep: 1 })).deleted).toHaveLength(2);
    stub.on("training_runs/run/checkpoints/weights/1", () => ({ status: 403, body: { detail: "no" } }));
    await expect(service.rest.prune("run", { keep: 1 })).rejects.toMatchObject({ code: "permission_denied" });
    expect(deletions(stub)).toEqual(["weights/1", "weights/3", "weights/1"]);
  });

  it.each([
    [{}, "prune: keep or olderThan must be given, or all checkpoints of the run would go"],
    [{ keep: -1 }, "prune: keep must be an integer of 0 or more, got -1"],
    [{ olderThan: new Date(Number.NaN) }, "prune: olderThan must be a valid Date"],
    [{ olderThan: 5 as never }, "prune: olderThan must be a valid Date, got 5"],
    [{ keep: 1, dryRun: "no" as never }, 'prune: dryRun must be a boolean, got "no"'],
    [{ keep: 1, checkpoint_type: "weights" as never }, "prune: checkpoint_type must be"],
  ])("refuses %j before anything is sent", async (options, message) => {
    const { stub, service } = await openService();
    expect(() => service.rest.prune("run", options)).toThrow(message);
    expect(stub.requests).toEqual([]);
  });

  it("counts, keeps and deletes a checkpoint once that the list names twice, and spares it where one of both is public", async () => {
    const { stub, service } = await openService();
    const again = made("weights/4", 4);
    serve(stub, [
      made("weights/1", 1),
      again,
      again,
      made("weights/3", 3, { public: true }),
      made("weights/3", 3),
    ]);
    const { deleted, kept, freedBytes } = await service.rest.prune("run", { keep: 1 });
    expect(idsOf(deleted)).toEqual(["weights/1"]);
    expect(idsOf(kept)).toEqual(["weights/4", "weights/3"]);
    expect(freedBytes).toBe(10);
    expect(deletions(stub)).toEqual(["weights/1"]);
  });

  it("fills the places of the newest with different checkpoints, although the list names the first twice", async () => {
    const { stub, service } = await openService();
    const again = made("weights/4", 4);
    serve(stub, [again, again, made("weights/3", 3), made("weights/2", 2)]);
    const { deleted, kept } = await service.rest.prune("run", { keep: 2 });
    expect(idsOf(kept)).toEqual(["weights/4", "weights/3"]);
    expect(idsOf(deleted)).toEqual(["weights/2"]);
  });

  it.each([
    ["that is none", { tinker_path: "../../z" }, '"../../z" is not a checkpoint path'],
    ["of another kind", { tinker_path: "tinker://run/other/z" }, "is not a checkpoint path"],
    ["of another run", { tinker_path: "tinker://other/weights/z" }, "which is of another run"],
    ["whose run is written otherwise", { tinker_path: "tinker://RUN/weights/z" }, "which is of another run"],
  ])(
    "deletes nothing where the list has a path %s, and says that it is the service's fault",
    async (_, more, fault) => {
      const { stub, service } = await openService();
      serve(stub, [...five, made("weights/z", 2, more)]);
      for (const dryRun of [false, true]) {
        const failure = await service.rest
          .prune("run", { keep: 1, dryRun })
          .then(undefined, (error: unknown) => error);
        expect(failure).toBeInstanceOf(ResponseError);
        expect(failure).not.toBeInstanceOf(ValidationError);
        expect(String(failure)).toContain("prune: the service lists ");
        expect(String(failure)).toContain(fault);
        expect(String(failure)).toContain("; nothing was deleted");
      }
      expect(deletions(stub)).toEqual([]);
    },
  );
});

describe("prune, of checkpoints whose time is over", () => {
  /** Opens a service on the tenth of May, when all are made and some are over. */
  const openOnTheTenth = async () => {
    const opened = await openService();
    await opened.clock.advance(Date.UTC(2026, 4, 10) - opened.clock.now());
    return opened;
  };
  const over = { expires_at: new Date(Date.UTC(2026, 4, 6)).toISOString() };
  const lasting = { expires_at: new Date(Date.UTC(2100, 0, 1)).toISOString() };

  it("keeps the newest one that can be gone on from, which latestCheckpoint gives, however new the one is that has expired", async () => {
    const { stub, service } = await openOnTheTenth();
    serve(stub, [made("weights/1", 1), made("weights/2", 2), made("weights/3", 3, over)]);
    const latest = await service.rest.latestCheckpoint("run");
    const { deleted, kept } = await service.rest.prune("run", { keep: 1 });
    expect(kept.map(({ tinker_path }) => tinker_path)).toEqual([latest?.tinker_path]);
    expect(idsOf(kept)).toEqual(["weights/2"]);
    expect(idsOf(deleted)).toEqual(["weights/3", "weights/1"]);
    expect(deletions(stub)).toEqual(["weights/1", "weights/3"]);
  });

  it("counts one whose time is yet to come among those that stay", async () => {
    const { stub, service } = await openOnTheTenth();
    serve(stub, [made("weights/1", 1), made("weights/2", 2, lasting)]);
    expect(idsOf((await service.rest.prune("run", { keep: 1 })).kept)).toEqual(["weights/2"]);
  });

  it("spares one that has expired where another rule does", async () => {
    const { stub, service } = await openOnTheTenth();
    serve(stub, [
      made("weights/4", 4),
      made("weights/2", 2, { ...over, public: true }),
      made("weights/3", 3, over),
      made("sampler_weights/1", 1, over),
    ]);
    const rules = {
      keep: 1,
      olderThan: new Date(Date.UTC(2026, 4, 3)),
      checkpoint_type: "training",
    } as const;
    expect((await service.rest.prune("run", rules)).deleted).toEqual([]);
    expect(deletions(stub)).toEqual([]);
  });
});

describe("the rules of prune", () => {
  const nowMs = 1_800_000_000_000;

  /** Checkpoints of both types in turn, newest first, and a count of how often the type of one was read. */
  function listOf(count: number) {
    const reads = { count: 0 };
    const list = Array.from({ length: count }, (_, index) => {
      const createdAt = new Date(nowMs - index * 1000);
      const checkpoint_id = `${index % 2 === 0 ? "weights" : "sampler_weights"}/${index}`;
      return {
        ...made(checkpoint_id, 0),
        createdAt,
        expiresAt: undefined,
        public: false,
        get checkpoint_type(): "training" | "sampler" {
          reads.count += 1;
          return index % 2 === 0 ? "training" : "sampler";
        },
      };
    });
    return { list, reads };
  }

  it("read the type of each checkpoint a few times, however many there are", () => {
    for (const count of [100, 5000]) {
      const { list, reads } = listOf(count);
      expect(thoseThatGo(list, { keep: 10 }, nowMs)).toEqual(list.slice(20));
      reads.count = 0;
      thoseThatGo(list, { keep: 10 }, nowMs);
      expect(reads.count).toBeLessThanOrEqual(4 * count);
    }
  });

  it("count the newest of each type by themselves, also where those of one type alone may go", () => {
    const { list } = listOf(9);
    expect(idsOf(thoseThatGo(list, { keep: 3 }, nowMs))).toEqual([
      "weights/6",
      "sampler_weights/7",
      "weights/8",
    ]);
    expect(idsOf(thoseThatGo(list, { keep: 3, checkpoint_type: "sampler" }, nowMs))).toEqual([
      "sampler_weights/7",
    ]);
  });

  it("count those that are public or not old enough among the newest that stay", () => {
    const { list } = listOf(8);
    const withPublic = list.map((each, index) => ({ ...each, public: index === 0 }));
    expect(idsOf(thoseThatGo(withPublic, { keep: 1, checkpoint_type: "training" }, nowMs))).toEqual([
      "weights/2",
      "weights/4",
      "weights/6",
    ]);
    const olderThan = list[4]?.createdAt;
    expect(idsOf(thoseThatGo(list, { keep: 1, olderThan }, nowMs))).toEqual([
      "sampler_weights/5",
      "weights/6",
      "sampler_weights/7",
    ]);
  });
});
