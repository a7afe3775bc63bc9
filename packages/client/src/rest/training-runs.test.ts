import { UnsupportedByServerError, ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { openService } from "../testing/open-service.js";
import type { StubService } from "../testing/stub-service.js";

/** A run as the service shows it. */
const run = (index: number) => ({
  training_run_id: `run-${index}`,
  base_model: index % 2 === 0 ? "even" : "odd",
  model_owner: "owner",
  is_lora: true,
  last_request_time: "2026-08-01T12:00:00Z",
});

/** Serves so many runs, page by page. */
function serveRuns(stub: StubService, count: number, access = "&access_scope=owned"): void {
  for (let limit = 1; limit <= 20; limit += 1) {
    for (let offset = 0; offset <= count; offset += 1) {
      stub.on(`training_runs?limit=${limit}&offset=${offset}${access}`, () => ({
        body: {
          training_runs: Array.from({ length: Math.min(limit, Math.max(0, count - offset)) }, (_, index) =>
            run(offset + index),
          ),
          cursor: { offset, limit, total_count: count },
        },
      }));
    }
  }
}

/** Places of the pages that were asked for. */
const pages = (stub: StubService) =>
  stub.trace.filter((path) => path.startsWith("training_runs?")).map((path) => path.split("&access")[0]);

describe("training runs", () => {
  it("clients 87: 45 of them are read 20 at a time, to the last one, and in order", async () => {
    const { stub, service } = await openService();
    serveRuns(stub, 45);
    const ids = (await service.rest.trainingRuns().toArray()).map(({ training_run_id: id }) => id);
    expect(ids).toEqual(Array.from({ length: 45 }, (_, index) => `run-${index}`));
    expect(pages(stub)).toEqual([0, 20, 40].map((offset) => `training_runs?limit=20&offset=${offset}`));
    expect(stub.trace).not.toContain("create_session");
  });

  it("clients 87: leaving the loop early asks for no further page", async () => {
    const { stub, service } = await openService();
    serveRuns(stub, 45);
    for await (const { training_run_id: id } of service.rest.trainingRuns({ pageSize: 10 })) {
      if (id === "run-12") break;
    }
    expect(pages(stub)).toEqual([0, 10].map((offset) => `training_runs?limit=10&offset=${offset}`));
  });

  it("give whole pages with their cursors, each time anew", async () => {
    const { stub, service } = await openService();
    serveRuns(stub, 5);
    const list = service.rest.trainingRuns({ pageSize: 2 });
    for (let round = 0; round < 2; round += 1) {
      const sizes: number[] = [];
      for await (const { training_runs, cursor } of list.pages()) {
        sizes.push(training_runs.length);
        expect(cursor.total_count).toBe(5);
      }
      expect(sizes).toEqual([2, 2, 1]);
    }
    expect(pages(stub)).toHaveLength(6);
  });

  it("come once each, although new ones push them to the next page meanwhile", async () => {
    const { stub, service } = await openService();
    serveRuns(stub, 6);
    stub.on("training_runs?limit=2&offset=2&access_scope=owned", () => ({
      body: { training_runs: [run(1), run(2)], cursor: { offset: 2, limit: 2, total_count: 6 } },
    }));
    const ids = (await service.rest.trainingRuns({ pageSize: 2 }).toArray()).map(
      ({ training_run_id: id }) => id,
    );
    expect(ids).toEqual(["run-0", "run-1", "run-2", "run-4", "run-5"]);
  });

  it("are filtered by base model here, and the log says so", async () => {
    const { stub, service, logger } = await openService();
    serveRuns(stub, 5);
    const odd = await service.rest.trainingRuns({ base_model: "odd", pageSize: 2 }).toArray();
    expect(odd.map(({ training_run_id: id }) => id)).toEqual(["run-1", "run-3"]);
    expect(pages(stub)).toHaveLength(3);
    expect(logger.lines.join("\n")).toMatch(/trainingRuns: base_model is applied here.*every page is read/);
  });

  it("of a server of the 0.4 generation are asked for without a scope, and a filter it would ignore is refused", async () => {
    const { stub, service } = await openService();
    stub.on("client/config", () => ({ status: 404, body: { detail: "Not Found" } }));
    serveRuns(stub, 3, "");
    expect((await service.rest.listTrainingRuns()).cursor.total_count).toBe(3);
    const byProject = service.rest.listTrainingRuns({ project_id: "p" });
    await expect(byProject).rejects.toBeInstanceOf(UnsupportedByServerError);
    await expect(byProject).rejects.toThrow(/^listTrainingRuns: .*training_runs.*project_id/);
    await expect(service.rest.getTrainingRun("r", { access_scope: "accessible" })).rejects.toThrow(
      /getTrainingRun: .*access_scope "accessible"/,
    );
  });

  it("that the server has no endpoint for are told from one that is not there", async () => {
    const { stub, service } = await openService();
    stub.on("training_runs/a?access_scope=owned", () => ({ status: 404, body: { detail: "Not Found" } }));
    stub.on("training_runs/b?access_scope=owned", () => ({ status: 404, body: { detail: "no run b" } }));
    stub.on("training_runs/c?access_scope=owned", () => ({
      status: 405,
      body: { detail: "Method Not Allowed" },
    }));
    const missing = "getTrainingRun: the server has no GET /training_runs/{run} (get_training_run)";
    for (const id of ["a", "c"]) {
      await expect(service.rest.getTrainingRun(id)).rejects.toMatchObject({
        code: "unsupported_by_server",
        feature: "get_training_run",
        message: missing,
      });
    }
    await expect(service.rest.getTrainingRun("b")).rejects.toMatchObject({ code: "not_found" });
  });

  it.each([
    [{ limit: -1 }, "listTrainingRuns: limit must be an integer of 0 or more, got -1"],
    [{ offset: 0.5 }, "listTrainingRuns: offset must be an integer of 0 or more, got 0.5"],
    [
      { access_scope: "mine" as "owned" },
      'listTrainingRuns: access_scope must be "owned" or "accessible", got "mine"',
    ],
    [{ project_id: "" }, "listTrainingRuns: project_id must not be empty"],
  ])("refuse %j before anything is sent", async (options, message) => {
    const { stub, service } = await openService();
    expect(() => service.rest.listTrainingRuns(options)).toThrow(ValidationError);
    expect(() => service.rest.listTrainingRuns(options)).toThrow(message);
    expect(() => service.rest.trainingRuns({ pageSize: 0 })).toThrow(
      "trainingRuns: pageSize must be an integer of 1",
    );
    expect(() => service.rest.getTrainingRun("tinker://r/weights/a")).toThrow(
      "its id is the part behind tinker://",
    );
    expect(stub.requests).toEqual([]);
  });
});
