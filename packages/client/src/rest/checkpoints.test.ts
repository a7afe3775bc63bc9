import { ApiStatusError, UnsupportedByServerError, ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import type { ServiceClient } from "../service/service-client.js";
import { openService, until } from "../testing/open-service.js";
import type { StubService } from "../testing/stub-service.js";

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

describe("the path of a checkpoint", () => {
  /** Methods that take a path. */
  const METHODS: readonly (readonly [
    string,
    (service: ServiceClient, path: string) => PromiseLike<unknown>,
  ])[] = [
    ["getTrainingRunByTinkerPath", ({ rest }, path) => rest.getTrainingRunByTinkerPath(path)],
    ["getWeightsInfoByTinkerPath", ({ rest }, path) => rest.getWeightsInfoByTinkerPath(path)],
    ["deleteCheckpointFromTinkerPath", ({ rest }, path) => rest.deleteCheckpointFromTinkerPath(path)],
    ["publishCheckpointFromTinkerPath", ({ rest }, path) => rest.publishCheckpointFromTinkerPath(path)],
    ["unpublishCheckpointFromTinkerPath", ({ rest }, path) => rest.unpublishCheckpointFromTinkerPath(path)],
    ["setCheckpointTtlFromTinkerPath", ({ rest }, path) => rest.setCheckpointTtlFromTinkerPath(path, 60)],
    ["getExternalWeightsUrls", ({ rest }, path) => rest.getExternalWeightsUrls(path)],
    [
      "getCheckpointArchiveUrlFromTinkerPath",
      ({ rest }, path) => rest.getCheckpointArchiveUrlFromTinkerPath(path),
    ],
    ["copyWeights", ({ rest }, path) => rest.copyWeights(path, { destination_project_id: "p" })],
    ["copyWeights", (service, path) => service.copyWeights(path)],
  ];

  it.each(METHODS)("clients 82: must be one for %s, before anything is sent", async (method, call) => {
    const { stub, service } = await openService({ projectId: "p" });
    for (const path of [
      "tinker://a/b",
      "tinker://a/other/b",
      "tinker://a/weights/b/c",
      "http://x",
      "tinker://",
    ]) {
      expect(() => call(service, path), path).toThrow(ValidationError);
      expect(() => call(service, path), path).toThrow(
        new RegExp(`^${method}: "[^"]*" is not a checkpoint path`),
      );
    }
    expect(() => call(service, "run/weights/a")).toThrow("did you mean tinker://run/weights/a?");
    expect(() => call(service, undefined as never)).toThrow(`${method}: tinker_path must be a string`);
    expect(stub.requests).toEqual([]);
  });

  it.each(METHODS)(
    "that is a bare run id is refused by %s with the paths of that run's checkpoints",
    async (method, call) => {
      const { stub, service } = await openService({ projectId: "p" });
      serve(stub, [made("weights/b", 1), made("sampler_weights/c", 2)]);
      const meant = "did you mean tinker://run/weights/b or tinker://run/sampler_weights/c?";
      for (const given of ["run", "tinker://run"]) {
        const failure = await call(service, given).then(undefined, (error: unknown) => error);
        expect(failure).toBeInstanceOf(ValidationError);
        expect(String(failure)).toContain(`${method}: "${given}" is not a checkpoint path`);
        expect(String(failure)).toContain(meant);
      }
      expect(stub.trace.filter((path) => path.startsWith("training_runs/"))).toEqual(
        Array.from({ length: 2 }, () => "training_runs/run/checkpoints"),
      );
      await expect(call(service, "s:train:0")).rejects.toThrow(
        "did you mean tinker://s:train:0/weights/<name>?",
      );
    },
  );
});

describe("published checkpoints", () => {
  const PUBLISH = "training_runs/run/checkpoints/weights/a/publish";

  it.each(["publish", "unpublish"] as const)(
    "clients 88, wire-types 14: %s has no body, and fails at once where that is so already, unless that is ok",
    async (verb) => {
      const { stub, service, clock } = await openService();
      stub.on(PUBLISH, () => ({ status: 409, body: { detail: "is so already" } }));
      const set = (options: object) =>
        service.rest[`${verb}CheckpointFromTinkerPath`]("tinker://run/weights/a", options);
      const failure = await set({}).then(undefined, (error: unknown) => error);
      expect(failure).toBeInstanceOf(ApiStatusError);
      expect(failure).toMatchObject({ code: "conflict", attempts: 1, retryable: false });
      expect(String(failure)).toContain("is so already");
      await expect(set({ ifAlready: "ok" })).resolves.toBeUndefined();
      expect(stub.seen(PUBLISH).map(({ method }) => method)).toEqual(
        Array.from({ length: 2 }, () => (verb === "publish" ? "POST" : "DELETE")),
      );
      expect(clock.sleeps).toEqual([]);
      expect(stub.seen(PUBLISH).map(({ body }) => body.length)).toEqual([0, 0]);
      expect(() => set({ ifAlready: "maybe" })).toThrow('ifAlready must be "error" or "ok", got "maybe"');
    },
  );
});

describe("the life of a checkpoint", () => {
  // thinking-machines-lab/tinker-cookbook#464, thinking-machines-lab/tinker-feedback#119, nex-agi/weaver#49
  it("BR-078, clients 81: is set in seconds, or null for ever, and shown as a date", async () => {
    const { stub, service } = await openService();
    serve(stub, [
      made("weights/a", 1, { expires_at: "2026-06-01T00:00:00.123456+02:00" }),
      made("weights/b", 2),
      made("weights/c", 2, { expires_at: null }),
    ]);
    const path = "training_runs/run/checkpoints/weights/a/ttl";
    stub.on(path, () => ({ status: 204, body: "" }));
    await service.rest.setCheckpointTtlFromTinkerPath("tinker://run/weights/a", 3600);
    await service.rest.setCheckpointTtlFromTinkerPath("tinker://run/weights/a", null);
    expect(stub.seen(path).map(({ body }) => body.toString())).toEqual([
      '{"ttl_seconds":3600}',
      '{"ttl_seconds":null}',
    ]);
    for (const ttl of [0, -1, 1.5, Number.NaN, undefined, "60"]) {
      expect(() =>
        service.rest.setCheckpointTtlFromTinkerPath("tinker://run/weights/a", ttl as number),
      ).toThrow(/ttl_seconds must be an integer above 0, or null/);
    }
    const { checkpoints } = await service.rest.listCheckpoints("run");
    expect(checkpoints.map(({ expiresAt }) => expiresAt?.toISOString())).toEqual([
      "2026-05-31T22:00:00.123Z",
      undefined,
      undefined,
    ]);
    expect(checkpoints[1]?.createdAt).toEqual(new Date("2026-05-03T00:00:00Z"));
  });

  it("ends the search for the newest one: what is over, and what is of another type, is passed over", async () => {
    const { stub, service, clock } = await openService();
    const over = new Date(clock.now()).toISOString();
    serve(stub, [
      made("weights/a", 1),
      made("weights/c", 3, { expires_at: over }),
      made("weights/b", 2),
      made("sampler_weights/d", 4),
    ]);
    expect((await service.rest.latestCheckpoint("run"))?.tinker_path).toBe("tinker://run/weights/b");
    const sampler = await service.rest.latestCheckpoint("run", { checkpoint_type: "sampler" });
    expect(sampler?.tinker_path).toBe("tinker://run/sampler_weights/d");
    expect(await service.rest.latestCheckpoint("run", { checkpoint_type: "external" })).toBeUndefined();
  });
});

describe("deleting a checkpoint", () => {
  it("is not called off by cancel() once it was sent, and says so when its time is up", async () => {
    const { stub, service, clock } = await openService();
    const path = "training_runs/run-1/checkpoints/weights/a";
    stub.on(path, () => new Promise<never>(() => {}));
    const start = () =>
      service.rest.deleteCheckpointFromTinkerPath("tinker://run-1/weights/a", { timeoutMs: 1000 });
    const cancelled = start();
    await until(() => stub.seen(path).length === 1, "the request");
    expect(await cancelled.cancel()).toBe(false);
    await expect(cancelled).rejects.toThrow("being sent; the service may still run it");
    const late = start();
    const failed = late.catch((error: unknown) => error);
    await until(() => stub.seen(path).length === 2, "the second request");
    await clock.advance(1000);
    expect(String(await failed)).toContain("being sent; the service may still run it");
  });
});

describe("addresses of checkpoints", () => {
  it("newest-clients 37: of an export are read, and of another checkpoint refused", async () => {
    const { stub, service } = await openService();
    stub.on("training_runs/r/checkpoints/external_weights/c/external_weights_urls", () => ({
      body: { urls: { "model.safetensors": "https://s.example/x" }, expires: "2026-01-02T03:04:05Z" },
    }));
    const urls = await service.rest.getExternalWeightsUrls("tinker://r/external_weights/c");
    expect(urls.urls).toEqual({ "model.safetensors": "https://s.example/x" });
    expect(urls.expiresAt).toEqual(new Date("2026-01-02T03:04:05Z"));
    const before = stub.requests.length;
    expect(() => service.rest.getExternalWeightsUrls("tinker://r/weights/c")).toThrow(
      /tinker:\/\/r\/weights\/c is a training checkpoint; pass an export, tinker:\/\/<run>\/external_weights\/<name>/,
    );
    expect(stub.requests).toHaveLength(before);
  });

  // thinking-machines-lab/tinker-feedback#3, NovaSky-AI/SkyRL#497
  it("BR-074, clients 83: of archives are the same from a redirect and from an answer, and waited for while one is made", async () => {
    const { stub, service, clock } = await openService();
    const url = "https://storage.example/archive.tar?sig=x";
    const expires = "Wed, 27 May 2026 20:00:00 GMT";
    const place = "training_runs/run/checkpoints/weights/a/archive";
    const found = { url, expiresAt: new Date("2026-05-27T20:00:00Z") };
    stub.script(
      place,
      { status: 302, headers: { location: url, expires } },
      { body: { url, expires: "2026-05-27T20:00:00Z" } },
      { status: 302, headers: { location: url } },
      { status: 302, headers: { expires } },
      { status: 503, body: { detail: "building" } },
      { status: 302, headers: { location: url, expires } },
    );
    const ask = () => service.rest.getCheckpointArchiveUrl("run", "weights/a");
    expect(await ask()).toEqual(found);
    expect(await ask()).toEqual(found);
    expect(await ask()).toEqual({ url, expiresAt: new Date(clock.now() + 900_000) });
    await expect(ask()).rejects.toMatchObject({ code: "response_invalid" });
    const later = ask();
    await until(() => clock.sleeps.length === 1, "the pause");
    expect(clock.sleeps[0]).toBeGreaterThanOrEqual(15_000);
    await clock.advance(60_000);
    expect(await later).toEqual(found);
    await expect(service.rest.getCheckpointArchiveUrl("run", "weights/b")).rejects.toMatchObject({
      code: "not_found",
    });
    stub.on("training_runs/run/checkpoints/weights/c/archive", () => ({
      status: 404,
      body: { detail: "Not Found" },
    }));
    await expect(service.rest.getCheckpointArchiveUrl("run", "weights/c")).rejects.toBeInstanceOf(
      UnsupportedByServerError,
    );
  });
});

describe("the place of an archive", () => {
  const place = "training_runs/run/checkpoints/weights/a/archive";

  it.each([
    ["/files/a.tar?sig=x", "/files/a.tar?sig=x"],
    ["../a.tar", "/api/v1/training_runs/run/checkpoints/weights/a.tar"],
  ])("%s is told by its whole URL, as the service is asked for it", async (location, path) => {
    const { stub, service } = await openService();
    stub.on(place, () => ({ status: 302, headers: { location } }));
    const { url } = await service.rest.getCheckpointArchiveUrlFromTinkerPath("tinker://run/weights/a");
    expect(url).toBe(`${stub.url}${path}`);
  });

  it("that is no URL is the service's fault, and not quoted, as it may be signed", async () => {
    const { stub, service } = await openService();
    stub.on(place, () => ({ status: 302, headers: { location: "http://[?sig=secret" } }));
    const failure = await service.rest
      .getCheckpointArchiveUrlFromTinkerPath("tinker://run/weights/a")
      .then(undefined, (error: unknown) => error);
    expect(failure).toMatchObject({ code: "response_invalid" });
    expect(String(failure)).toContain(
      "getCheckpointArchiveUrlFromTinkerPath: the answer redirects to the archive of tinker://run/weights/a, but the place is no URL",
    );
    expect(String(failure)).not.toContain("secret");
  });
});

describe("lists of checkpoints", () => {
  it("clients 87: are walked page by page, and filtered by type here", async () => {
    const { stub, service, logger } = await openService();
    const all = [made("weights/a", 3), made("sampler_weights/b", 2), made("weights/c", 1)];
    for (const offset of [0, 2]) {
      stub.on(`checkpoints?limit=2&offset=${offset}`, () => ({
        body: { checkpoints: all.slice(offset, offset + 2) },
      }));
    }
    const found = await service.rest.userCheckpoints({ pageSize: 2, checkpoint_type: "training" }).toArray();
    expect(found.map(({ checkpoint_id: id }) => id)).toEqual(["weights/a", "weights/c"]);
    expect(stub.trace.filter((path) => path.startsWith("checkpoints?"))).toHaveLength(2);
    expect(logger.lines.join("\n")).toContain("userCheckpoints: checkpoint_type is applied here");
  });
});
