// The whole of the service in one file: trains a model, samples from it, and looks after everything that this leaves behind, from
// `new ServiceClient` to the last REST call. What a server lacks, as some have no archives any more, is said and passed over.
//
//   node apps/examples/dist/full-flow.js                        on this machine, no key needed
//   TINKER_API_KEY=tml-… node apps/examples/dist/full-flow.js   on a hosted service
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startLocalServer } from "@tinkex/local";
import {
  AdminClient,
  checkAccess,
  consoleUrls,
  hasCredentials,
  lossOf,
  RestClient,
  ServiceClient,
  TinkexError,
} from "tinkex";

const { values: options } = parseArgs({
  options: {
    steps: { type: "string", default: "8" },
    model: { type: "string" },
    project: { type: "string", default: process.env.TINKER_PROJECT_ID ?? "no-project" },
  },
});

// A service to talk to: the one that the environment names, or a server of our own on a free loopback port.
const isHosted = Boolean(process.env.TINKER_API_KEY || process.env.TINKER_BASE_URL);
// It has a key, which clients exchange for a token that says whose it is.
const apiKey = "tml-full-flow";
await using server = isHosted ? undefined : await startLocalServer({ apiKey });
const connection = server === undefined ? {} : { baseUrl: server.url, apiKey };
const base_model = options.model ?? (isHosted ? "Qwen/Qwen3-8B" : "tinkex/pocket-1");

/** Prints what a call gives, or that this server, or this account, does not have it. */
async function show(name: string, call: () => PromiseLike<unknown>): Promise<void> {
  const passedOver = ["unsupported_by_server", "not_found", "permission_denied", "bad_request"];
  try {
    console.log(`${name}:`, (await call()) ?? "done");
  } catch (error) {
    if (!(error instanceof TinkexError) || !passedOver.includes(error.code)) throw error;
    console.log(`${name}: not here (${error.code})`);
  }
}

// 1. May we come in? An AccessError says what is wrong with the key, the account or the address, and how to mend it.
console.log(`credentials: ${await hasCredentials(connection)}`);
const { baseUrl, credentialFrom } = await checkAccess({ ...connection, timeoutMs: 30_000 });
console.log(`${baseUrl} takes us in, with a credential from ${credentialFrom}`);

// 2. Train: steps are submitted in a row, and the last one is waited for.
await using service = new ServiceClient({ ...connection, displayName: "full flow" });
const { rest, admin } = service;
console.log(`client ${service.clientId}, with ${service.stats().operations} operations under way`);
const training = await service.createLoraTrainingClient({ base_model, rank: 8, seed: 1 });
const tokenizer = await training.getTokenizer();
const tokens = tokenizer.encode("the cat sat on the mat");
const datum = { model_input: tokens.slice(0, -1), loss_fn_inputs: { target_tokens: tokens.slice(1) } };
const losses: number[] = [];
for (let step = 0; step < Number(options.steps); step += 1) {
  const { forwardBackward } = await training.trainStep([datum], "cross_entropy", { learning_rate: 2e-3 });
  losses.push(lossOf(forwardBackward)?.value ?? Number.NaN);
  // A checkpoint every second step; all but the newest ones go again below.
  if (step % 2 === 1) await training.saveState(`step-${step}`, { overwrite: true, ttl_seconds: 86_400 });
}
console.log(`loss: ${losses[0]?.toFixed(2)} -> ${losses.at(-1)?.toFixed(2)}`);

// 3. Sample from what was trained.
const { path: samplerPath } = await training.saveWeightsForSampler("final", { onConflict: "reuse" });
const sampler = await service.createSamplingClient({ model_path: samplerPath });
const { sequences } = await sampler.sample({
  prompt: tokens.slice(0, 8),
  sampling_params: { max_tokens: 14, temperature: 0 },
});
console.log(`says: ${JSON.stringify(tokenizer.decode([...(sequences[0]?.tokens ?? [])]))}`);

// 4. The run, and all that was saved of it.
const run = training.modelId;
console.log(`run ${run}: ${consoleUrls.trainingRun(run)}, session: ${await service.getConsoleUrl()}`);
const { supported_models } = await rest.getServerCapabilities();
console.log(`models: ${supported_models.map(({ model_name }) => model_name).join(", ")}`);
await show(
  "newest run",
  async () => (await rest.listTrainingRuns({ limit: 1 })).training_runs[0]?.training_run_id,
);
for await (const each of rest.trainingRuns({ base_model })) {
  if (each.training_run_id === run) console.log(`found it among the runs of ${base_model}`);
}
await show("rank", async () => (await rest.getTrainingRun(run)).lora_rank);
await show(
  "run of the sampler",
  async () => (await rest.getTrainingRunByTinkerPath(samplerPath)).training_run_id,
);
const { checkpoints } = await rest.listCheckpoints(run);
console.log(`checkpoints: ${checkpoints.map(({ checkpoint_id }) => checkpoint_id).join(", ")}`);
await show("of all runs", async () => (await rest.listUserCheckpoints({ limit: 5 })).checkpoints.length);
const samplers = await rest.userCheckpoints({ checkpoint_type: "sampler" }).toArray();
console.log(`to sample from: ${samplers.length}`);

// 5. The life of checkpoints. A path is that of a checkpoint; a run's id in its place is refused with the paths that it could be.
const { deleted } = await rest.prune(run, { keep: 2, checkpoint_type: "training" });
console.log(`pruned: ${deleted.map(({ checkpoint_id }) => checkpoint_id).join(", ")}`);
const latest = await rest.latestCheckpoint(run);
if (latest === undefined) throw new Error("the newest checkpoint is gone");
const { tinker_path } = latest;
console.log(`go on from ${tinker_path}, kept until ${latest.expiresAt?.toISOString() ?? "for ever"}`);
await show("weights", () => rest.getWeightsInfoByTinkerPath(tinker_path));
await show("keep for a week", () => rest.setCheckpointTtlFromTinkerPath(tinker_path, 7 * 86_400));
await show("publish", () => rest.publishCheckpointFromTinkerPath(tinker_path, { ifAlready: "ok" }));
await show("unpublish", () => rest.unpublishCheckpointFromTinkerPath(tinker_path, { ifAlready: "ok" }));
const copies: string[] = [];
await show("copy", async () => {
  copies.push(await rest.copyWeights(tinker_path, { destination_project_id: options.project }));
  return copies.at(-1);
});
const ofProject = new ServiceClient({ ...connection, projectId: options.project });
await show("copy to the client's own project", async () => {
  copies.push(await ofProject.copyWeights(tinker_path, { ttl_seconds: 86_400 }));
  return copies.at(-1);
});
await ofProject.close();

// 6. Weights to take away: an export's files have signed addresses, older services pack an archive.
await show("export", async () => {
  const { path } = await training.saveWeightsExternal("export");
  const { urls, expiresAt } = await rest.getExternalWeightsUrls(path);
  return `${Object.keys(urls).join(", ")} until ${expiresAt.toISOString()}`;
});
await show("download", async () => {
  const parent = await mkdtemp(join(tmpdir(), "tinkex-flow-"));
  const { files, isPeftAdapter } = await rest.downloadCheckpoint(
    `tinker://${run}/external_weights/export`,
    join(parent, "adapter"),
  );
  await rm(parent, { recursive: true });
  return { files: files.map(({ name }) => name), isPeftAdapter };
});
await show("archive", async () => (await rest.getCheckpointArchiveUrlFromTinkerPath(tinker_path)).expiresAt);
await show(
  "archive by ids",
  async () => (await rest.getCheckpointArchiveUrl(run, latest.checkpoint_id)).expiresAt,
);

// 7. Sessions and samplers.
const [session = ""] = run.split(":");
await show("sessions", async () => (await rest.listSessions({ limit: 1 })).sessions);
await show("all sessions", async () => (await rest.sessions({ pageSize: 100 }).toArray()).length);
await show("session", () => rest.getSession(session));
await show(
  "search",
  async () => (await rest.searchSessions({ display_name: "full flow", limit: 1 })).sessions.length,
);
await show("found", async () => (await rest.foundSessions({ display_name: "full flow" }).toArray()).length);
await show("move the session", () => rest.assignSessionProject(session, options.project));
await show("trace", () => rest.exportSessionTrace(session, { timeoutMs: 600_000 }));
await show("sampler", () => rest.getSampler(`${session}:sample:0`));
await show("who we are", () => rest.whoami());

// 8. For administrators: the hour before this one, what checkpoints take, what was done.
const hourMs = 3_600_000;
const thisHour = new Date(Math.floor(Date.now() / hourMs) * hourMs);
const window = { starting_on: new Date(thisHour.getTime() - hourMs), ending_before: thisHour };
await show("usage", async () => (await admin.getBillingUsage(window)).data.length);
await show("storage", async () => (await admin.getCurrentCheckpointStorageUsage()).data.length);
await show("audit log", async () => (await admin.getAuditLog({ event_type: "checkpoints" })).entries.length);

// 9. Clean up. Clients without a session do the same, and share their connections.
const alone = new RestClient(connection);
for (const path of [samplerPath, ...copies]) await alone.deleteCheckpointFromTinkerPath(path);
for (const { checkpoint_id } of (await rest.listCheckpoints(run)).checkpoints)
  await rest.deleteCheckpoint(run, checkpoint_id);
await rest.deleteCheckpointFromTinkerPath(tinker_path).catch((error: unknown) => {
  if (!(error instanceof TinkexError) || error.code !== "not_found") throw error;
});
const books = new AdminClient(connection);
await show("storage now", async () => (await books.getCurrentCheckpointStorageUsage()).data.length);
await Promise.all([alone.close(), books.close()]);
console.log(`left of the run: ${(await rest.listCheckpoints(run)).checkpoints.length} checkpoints`);
