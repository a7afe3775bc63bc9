import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  AdminCalls,
  AdminClient,
  checkAccess,
  consoleUrls,
  getTinkerToken,
  hasCredentials,
  RestCalls,
  RestClient,
  ServiceClient,
  type TrainingClient,
} from "@tinkex/client";
import { type LocalServer, startLocalServer } from "@tinkex/local";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const KEY = "tml-key-of-a-test";
const data = [{ model_input: [104, 101, 108], loss_fn_inputs: { target_tokens: [101, 108, 108] } }];

let server: LocalServer;
let service: ServiceClient;
let training: TrainingClient;
const folder = temporaryDirectory();
/** Options of a client of the server. */
let connection: { readonly baseUrl: string; readonly apiKey: string; readonly env: Record<string, string> };
let run: string;
let session: string;
let rest: RestCalls;
let admin: AdminCalls;

beforeAll(async () => {
  server = await startLocalServer({ apiKey: KEY });
  connection = { baseUrl: server.url, apiKey: KEY, env: {} };
  service = new ServiceClient({
    ...connection,
    displayName: "rest methods",
    projectId: "home",
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  ({ rest, admin } = service);
  training = await service.createLoraTrainingClient({
    base_model: server.models[0]?.name ?? "",
    rank: 4,
    seed: 1,
    user_metadata: { purpose: "methods" },
  });
  run = training.modelId;
  [session = ""] = run.split(":");
  await training.trainStep(data, "cross_entropy", { learning_rate: 1e-3 });
  await training.saveState("first", { ttl_seconds: 86_400 });
  await training.saveState("second");
  await training.saveWeightsForSampler("sampler");
  await training.saveWeightsExternal("export");
}, 60_000);

afterAll(async () => {
  await service.close();
  await server.close();
});

/** Path of a checkpoint of the run. */
const at = (checkpoint: string): string => `tinker://${run}/${checkpoint}`;

/** A checkpoint of its own for a method that changes or removes it. */
async function fresh(name: string): Promise<string> {
  const { path } = await training.saveState(name, { overwrite: true });
  return path;
}

async function idsOf(): Promise<string[]> {
  return (await rest.listCheckpoints(run)).checkpoints.map(({ checkpoint_id }) => checkpoint_id);
}

const hourMs = 3_600_000;

/** Calls of every method of a class, and what the local server must give for it. */
type Calls<Type> = {
  readonly [Method in keyof Type]: Type[Method] extends (...given: never[]) => unknown
    ? () => Promise<void>
    : never;
};

const REST: Calls<RestCalls> = {
  async getServerCapabilities() {
    const { supported_models } = await rest.getServerCapabilities();
    expect(supported_models.map(({ model_name }) => model_name)).toEqual(
      server.models.map(({ name }) => name),
    );
  },
  async whoami() {
    expect(await rest.whoami()).toEqual({ user_urn: "tml:user:local", org_urn: "tml:organization:local" });
  },
  async listTrainingRuns() {
    const { training_runs, cursor } = await rest.listTrainingRuns({ limit: 1, project_id: "home" });
    expect(training_runs).toMatchObject([
      { training_run_id: run, lora_rank: 4, user_metadata: { purpose: "methods" } },
    ]);
    expect(cursor).toMatchObject({ offset: 0, limit: 1, total_count: 1 });
    expect((await rest.listTrainingRuns({ project_id: "nowhere" })).training_runs).toEqual([]);
  },
  async trainingRuns() {
    const runs = await rest.trainingRuns({ pageSize: 1, access_scope: "accessible" }).toArray();
    expect(runs.map(({ training_run_id }) => training_run_id)).toContain(run);
    expect(await rest.trainingRuns({ base_model: "none" }).toArray()).toEqual([]);
  },
  async getTrainingRun() {
    expect(await rest.getTrainingRun(run)).toMatchObject({ training_run_id: run, is_lora: true });
    await expect(rest.getTrainingRun("none")).rejects.toMatchObject({ code: "not_found" });
  },
  async getTrainingRunByTinkerPath() {
    const { last_sampler_checkpoint } = await rest.getTrainingRunByTinkerPath(at("weights/first"));
    expect(last_sampler_checkpoint).toMatchObject({ tinker_path: at("sampler_weights/sampler") });
  },
  async listCheckpoints() {
    const { checkpoints } = await rest.listCheckpoints(run);
    const first = checkpoints.find(({ checkpoint_id }) => checkpoint_id === "weights/first");
    expect(first).toMatchObject({
      checkpoint_type: "training",
      tinker_path: at("weights/first"),
      public: false,
    });
    // Both moments are read from the clock, one after the other.
    const lifeMs = (first?.expiresAt?.getTime() ?? 0) - (first?.createdAt.getTime() ?? 0);
    expect(Math.round(lifeMs / hourMs)).toBe(24);
    expect(await idsOf()).toEqual(
      expect.arrayContaining(["sampler_weights/sampler", "external_weights/export"]),
    );
  },
  async listUserCheckpoints() {
    const { checkpoints, cursor } = await rest.listUserCheckpoints({ limit: 2, offset: 1 });
    expect([checkpoints.length, cursor?.offset]).toEqual([2, 1]);
    expect(cursor?.total_count).toBeGreaterThanOrEqual(4);
  },
  async userCheckpoints() {
    const exports = await rest.userCheckpoints({ pageSize: 1, checkpoint_type: "external" }).toArray();
    expect(exports.map(({ tinker_path }) => tinker_path)).toEqual([at("external_weights/export")]);
  },
  async latestCheckpoint() {
    const path = await fresh("latest");
    expect(await rest.latestCheckpoint(run)).toMatchObject({ tinker_path: path });
    await rest.deleteCheckpointFromTinkerPath(path);
    expect(await rest.latestCheckpoint("none").catch(({ code }) => code)).toBe("not_found");
  },
  async prune() {
    const other = await service.createLoraTrainingClient({
      base_model: server.models[0]?.name ?? "",
      rank: 1,
    });
    for (const name of ["a", "b", "c"]) await other.saveState(name);
    const idsIn = (list: readonly { readonly checkpoint_id: string }[]) =>
      list.map(({ checkpoint_id }) => checkpoint_id);
    const dry = await rest.prune(other.modelId, { keep: 1, dryRun: true });
    expect([idsIn(dry.deleted), idsIn(dry.kept)]).toEqual([["weights/b", "weights/a"], ["weights/c"]]);
    expect((await rest.listCheckpoints(other.modelId)).checkpoints).toHaveLength(3);
    const { freedBytes } = await rest.prune(other.modelId, { keep: 1 });
    expect(freedBytes).toBeGreaterThan(0);
    expect(idsIn((await rest.listCheckpoints(other.modelId)).checkpoints)).toEqual(["weights/c"]);
    await rest.deleteCheckpoint(other.modelId, "weights/c");
  },
  async getWeightsInfoByTinkerPath() {
    expect(await rest.getWeightsInfoByTinkerPath(at("weights/second"))).toMatchObject({
      base_model: server.models[0]?.name,
      is_lora: true,
      lora_rank: 4,
    });
  },
  async deleteCheckpoint() {
    await fresh("doomed");
    await rest.deleteCheckpoint(run, "weights/doomed");
    expect(await idsOf()).not.toContain("weights/doomed");
    await expect(rest.deleteCheckpoint(run, "weights/doomed")).rejects.toMatchObject({ code: "not_found" });
  },
  async deleteCheckpointFromTinkerPath() {
    await rest.deleteCheckpointFromTinkerPath(await fresh("doomed"));
    expect(await idsOf()).not.toContain("weights/doomed");
  },
  async publishCheckpointFromTinkerPath() {
    const path = await fresh("published");
    await rest.publishCheckpointFromTinkerPath(path);
    expect(await rest.latestCheckpoint(run)).toMatchObject({ tinker_path: path, public: true });
    await expect(rest.publishCheckpointFromTinkerPath(path)).rejects.toMatchObject({ code: "conflict" });
    await rest.deleteCheckpointFromTinkerPath(path);
  },
  async unpublishCheckpointFromTinkerPath() {
    const path = await fresh("unpublished");
    await rest.publishCheckpointFromTinkerPath(path);
    await rest.unpublishCheckpointFromTinkerPath(path);
    await rest.unpublishCheckpointFromTinkerPath(path, { ifAlready: "ok" });
    expect(await rest.latestCheckpoint(run)).toMatchObject({ tinker_path: path, public: false });
    await rest.deleteCheckpointFromTinkerPath(path);
  },
  async setCheckpointTtlFromTinkerPath() {
    const path = await fresh("short");
    await rest.setCheckpointTtlFromTinkerPath(path, 7_200);
    const { expiresAt } = (await rest.latestCheckpoint(run)) ?? {};
    expect(expiresAt?.getTime()).toBeGreaterThan(Date.now() + hourMs);
    await rest.setCheckpointTtlFromTinkerPath(path, null);
    expect((await rest.latestCheckpoint(run))?.expiresAt).toBeUndefined();
    await rest.deleteCheckpointFromTinkerPath(path);
  },
  async copyWeights() {
    const path = await rest.copyWeights(at("weights/second"), {
      destination_project_id: "other",
      ttl_seconds: hourMs,
    });
    const { training_run_id } = await rest.getTrainingRunByTinkerPath(path);
    expect(training_run_id).not.toBe(run);
    const { training_runs } = await rest.listTrainingRuns({ project_id: "other" });
    expect(training_runs.map((each) => each.training_run_id)).toEqual([training_run_id]);
    const copy = await service.createTrainingClientFromState(path);
    expect((await copy.forward(data, "cross_entropy")).metrics["loss:sum"]).toBe(
      (await training.forward(data, "cross_entropy")).metrics["loss:sum"],
    );
    await rest.deleteCheckpointFromTinkerPath(path);
  },
  async getExternalWeightsUrls() {
    const { urls, expiresAt } = await rest.getExternalWeightsUrls(at("external_weights/export"));
    expect(Object.keys(urls).sort()).toEqual(["adapter_config.json", "adapter_model.safetensors"]);
    expect(expiresAt.getTime()).toBeGreaterThan(Date.now());
    for (const url of Object.values(urls)) expect((await fetch(url)).status).toBe(200);
  },
  async downloadCheckpoint() {
    const weights: Buffer[] = [];
    for (const checkpoint of ["external_weights/export", "sampler_weights/sampler", "weights/second"]) {
      const directory = join(folder, checkpoint);
      const { files, isPeftAdapter } = await rest.downloadCheckpoint(at(checkpoint), directory);
      expect([checkpoint, isPeftAdapter]).toEqual([checkpoint, true]);
      const names = files.map(({ name }) => name);
      expect(names.includes("checkpoint_complete")).toBe(!checkpoint.startsWith("external"));
      weights.push(await readFile(join(directory, "adapter_model.safetensors")));
    }
    expect(weights[1]?.equals(weights[0] ?? Buffer.alloc(0))).toBe(true);
    expect(weights[2]?.equals(weights[0] ?? Buffer.alloc(0))).toBe(true);
  },
  async getCheckpointArchiveUrlFromTinkerPath() {
    const { url, expiresAt } = await rest.getCheckpointArchiveUrlFromTinkerPath(
      at("sampler_weights/sampler"),
    );
    expect(Math.abs(expiresAt.getTime() - Date.now() - hourMs)).toBeLessThan(hourMs / 2);
    expect((await fetch(url)).headers.get("content-type")).toBe("application/x-tar");
  },
  async getCheckpointArchiveUrl() {
    const { url } = await rest.getCheckpointArchiveUrl(run, "weights/second");
    expect((await fetch(url)).status).toBe(200);
  },
  async listSessions() {
    expect((await rest.listSessions({ limit: 1 })).sessions).toEqual([session]);
  },
  async sessions() {
    expect(await rest.sessions({ pageSize: 1 }).toArray()).toEqual([session]);
  },
  async getSession() {
    const found = await rest.getSession(session);
    expect(found).toMatchObject({ display_name: "rest methods" });
    expect(found.training_run_ids).toContain(run);
  },
  async searchSessions() {
    const { sessions } = await rest.searchSessions({
      display_name: "METHODS rest",
      statuses: [{ type: "active" }],
    });
    expect(sessions).toMatchObject([{ session_id: session, owner: "tml:user:local" }]);
    expect(sessions[0]?.checkpoints_count).toBeGreaterThanOrEqual(4);
    expect((await rest.searchSessions({ display_name: "other" })).sessions).toEqual([]);
  },
  async foundSessions() {
    expect((await rest.foundSessions({ limit: 1 }).toArray()).map(({ session_id }) => session_id)).toEqual([
      session,
    ]);
  },
  async assignSessionProject() {
    await rest.assignSessionProject(session, "moved");
    expect((await rest.listTrainingRuns({ project_id: "home" })).training_runs).toEqual([]);
    expect((await rest.searchSessions({ project_ids: ["moved"] })).sessions).toHaveLength(1);
    await rest.assignSessionProject(session, "home");
  },
  async exportSessionTrace() {
    const url = await rest.exportSessionTrace(session);
    const { traceEvents } = (await (await fetch(url)).json()) as {
      traceEvents: { name: string; ph: string }[];
    };
    const names = traceEvents.filter(({ ph }) => ph === "X").map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["forward_backward", "optim_step", "save_weights"]));
  },
  async getSampler() {
    const sampler = await service.createSamplingClient({ model_path: at("sampler_weights/sampler") });
    const { sampler_ids } = await rest.getSession(session);
    expect(await rest.getSampler(sampler_ids.at(-1) ?? "")).toMatchObject({
      base_model: server.models[0]?.name,
      model_path: at("sampler_weights/sampler"),
    });
    await sampler.close();
  },
};

const ADMIN: Calls<AdminCalls> = {
  async getBillingUsage() {
    const now = Math.floor(Date.now() / hourMs) * hourMs;
    const window = { starting_on: new Date(now - hourMs), ending_before: new Date(now) };
    expect(await admin.getBillingUsage(window)).toEqual({ data: [], sessions: {} });
  },
  async getCurrentCheckpointStorageUsage() {
    const { data: usage } = await admin.getCurrentCheckpointStorageUsage({ project_id: "home" });
    const { checkpoints } = await rest.listCheckpoints(run);
    const bytes = checkpoints.reduce((sum, { size_bytes = 0 }) => sum + size_bytes, 0);
    expect(usage).toMatchObject([
      { project_id: "home", checkpoint_count: checkpoints.length, size_bytes: bytes },
    ]);
  },
  async getAuditLog() {
    expect(await admin.getAuditLog({ event_type: "checkpoints", day: new Date() })).toEqual({ entries: [] });
  },
};

/** Calls of what is no method: credentials, clients of their own, pages of the console. */
const OTHERS: Readonly<Record<string, () => Promise<void>>> = {
  async hasCredentials() {
    expect([
      await hasCredentials(connection),
      await hasCredentials({ baseUrl: server.url, env: {} }),
    ]).toEqual([true, true]);
  },
  async getTinkerToken() {
    expect(await getTinkerToken(connection)).toBe(KEY);
  },
  async checkAccess() {
    expect(await checkAccess(connection)).toEqual({ baseUrl: server.url, credentialFrom: "apiKey" });
    const other = checkAccess({ ...connection, apiKey: "tml-other" });
    await expect(other).rejects.toMatchObject({ fault: "key" });
  },
  async "ServiceClient.copyWeights"() {
    const path = await service.copyWeights(at("sampler_weights/sampler"));
    const { training_run_id } = await rest.getTrainingRunByTinkerPath(path);
    const { training_runs } = await rest.listTrainingRuns({ project_id: "home" });
    expect(training_runs.map((each) => each.training_run_id)).toContain(training_run_id);
    await rest.deleteCheckpointFromTinkerPath(path);
  },
  async RestClient() {
    const client = new RestClient(connection);
    expect(await client.whoami()).toMatchObject({ user_urn: "tml:user:local" });
    await client.close();
  },
  async AdminClient() {
    const client = new AdminClient(connection);
    expect((await client.getAuditLog()).entries).toEqual([]);
    await client.close();
  },
  async consoleUrls() {
    expect(consoleUrls.trainingRun(run)).toContain(run);
    expect(await service.getConsoleUrl()).toContain(session);
  },
};

/** Methods of a class and of those that it extends. */
function methodsOf(type: { readonly prototype: object }): string[] {
  const names: string[] = [];
  for (let each: object = type.prototype; each !== Object.prototype; each = Object.getPrototypeOf(each))
    names.push(...Object.getOwnPropertyNames(each).filter((name) => name !== "constructor"));
  return names.sort();
}

const entriesOf = (calls: Readonly<Record<string, () => Promise<void>>>) => Object.entries(calls);

describe("against the local server", () => {
  it.each([...entriesOf(REST), ...entriesOf(ADMIN), ...entriesOf(OTHERS)])(
    "clients 81, newest-clients 36, 37, 38, 39, 41: %s gives what is there",
    (_, call) => call(),
    30_000,
  );

  it("every method of the REST and the admin client is run", () => {
    expect(Object.keys(REST).sort()).toEqual(methodsOf(RestCalls));
    expect(Object.keys(ADMIN).sort()).toEqual(methodsOf(AdminCalls));
    expect(methodsOf(RestCalls).length + methodsOf(AdminCalls).length).toBeGreaterThanOrEqual(24 + 3);
  });
});
