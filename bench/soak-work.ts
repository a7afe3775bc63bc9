import { fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ServiceClient, type TrainingClient } from "@tinkex/client";

export interface SoakPlace {
  readonly url: string;
  readonly model: string;
  /** A folder for downloads. */
  readonly folder: string;
  readonly endsAtMs: number;
  /** Rest after each operation of a client. */
  readonly pauseMs: number;
}

/** Number of each kind of work that was done. */
export type SoakTally = Record<string, number>;

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const PROMPT = [60, 61, 62];
const VICTIM_INTERVAL_MS = 60_000;

/** Clients that do mixed work on one server, until its end. */
export class SoakWork {
  readonly tally: SoakTally = {};
  readonly #place: SoakPlace;

  constructor(place: SoakPlace) {
    this.#place = place;
  }

  /** Runs all clients side by side. Rejects when one of them meets what it did not expect. */
  async run(): Promise<void> {
    await Promise.all([
      this.#train(0),
      this.#train(1),
      this.#look(),
      this.#sendNonsense(),
      this.#killClients(),
    ]);
  }

  get #isOver(): boolean {
    return Date.now() >= this.#place.endsAtMs;
  }

  async #done(kind: string, times = 1): Promise<void> {
    this.tally[kind] = (this.tally[kind] ?? 0) + times;
    await sleep(this.#place.pauseMs);
  }

  #open(): ServiceClient {
    return new ServiceClient({ baseUrl: this.#place.url, env: {}, logger: silent, projectId: "soak" });
  }

  /** One session after another: trains, saves, samples, copies, downloads, deletes, unloads, and closes. */
  async #train(lane: number): Promise<void> {
    for (let round = 0; !this.#isOver; round += 1) {
      await using service = this.#open();
      const training = await service.createLoraTrainingClient({
        base_model: this.#place.model,
        rank: 4,
        seed: lane,
      });
      await this.#done("sessions");
      for (let step = 0; step < 4 && !this.#isOver; step += 1) await this.#step(training, step + lane);
      await this.#checkpoints(service, training, lane);
      await this.#samples(training);
      if (round % 2 === 0) {
        await training.unload();
        await this.#done("unloads");
      }
    }
  }

  async #step(training: TrainingClient, salt: number): Promise<void> {
    const tokens = Array.from({ length: 32 }, (_, index) => 50 + ((index * 7 + salt) % 100));
    const data = [{ model_input: tokens.slice(0, -1), loss_fn_inputs: { target_tokens: tokens.slice(1) } }];
    await training.trainStep(data, "cross_entropy", { learning_rate: 1e-3 });
    await this.#done("steps");
  }

  async #checkpoints(service: ServiceClient, training: TrainingClient, lane: number): Promise<void> {
    const { rest } = service;
    const { path } = await training.saveState("state");
    await training.saveState("state", { overwrite: true });
    await training.saveState("short", { ttl_seconds: 3 });
    await this.#done("saves", 3);
    await rest.publishCheckpointFromTinkerPath(path);
    await rest.unpublishCheckpointFromTinkerPath(path);
    await this.#done("publications");
    const copy = await service.copyWeights(path);
    await this.#done("copies");
    const directory = join(this.#place.folder, `download-${lane}`);
    await rest.downloadCheckpoint(copy, directory);
    await rm(directory, { recursive: true });
    await this.#done("downloads");
    const resumed = await service.createTrainingClientFromStateWithOptimizer(path);
    await this.#done("resumed models");
    await this.#step(resumed, lane);
    await rest.deleteCheckpointFromTinkerPath(copy);
    await rest.deleteCheckpointFromTinkerPath(path);
    await this.#done("deletions", 2);
    await training.saveWeightsExternal("export", { ttl_seconds: 3 });
    await this.#done("exports");
  }

  async #samples(training: TrainingClient): Promise<void> {
    const sampler = await training.saveWeightsAndGetSamplingClient();
    const short = Array.from({ length: 8 }, (_, seed) =>
      sampler.sample({ prompt: PROMPT, sampling_params: { max_tokens: 8, seed } }),
    );
    await Promise.all(short);
    await this.#done("short samples", short.length);
    await sampler.sample({ prompt: PROMPT, sampling_params: { max_tokens: 200, stop: [] } });
    await this.#done("long samples");
    const givenUp = new AbortController();
    const long = sampler.sample(
      { prompt: PROMPT, sampling_params: { max_tokens: 400, stop: [] } },
      { signal: givenUp.signal },
    );
    const outcome = long.catch(() => {});
    await sleep(20);
    givenUp.abort();
    await outcome;
    await this.#done("aborts");
  }

  /** Lists all that there is, as a dashboard does. */
  async #look(): Promise<void> {
    await using service = this.#open();
    const { rest } = service;
    while (!this.#isOver) {
      const { training_runs } = await rest.listTrainingRuns({ limit: 20 });
      await rest.listUserCheckpoints({ limit: 20 });
      const { sessions } = await rest.listSessions({ limit: 20 });
      const [run] = training_runs;
      const [session] = sessions;
      if (run !== undefined) await rest.getTrainingRun(run.training_run_id);
      if (session !== undefined) {
        await rest.getSession(session);
        await rest.exportSessionTrace(session);
      }
      await rest.searchSessions({});
      await this.#done("rounds of lists");
      await sleep(4 * this.#place.pauseMs);
    }
  }

  /** Sends what must be refused. */
  async #sendNonsense(): Promise<void> {
    const refused = [
      ["POST", "create_model", "{"],
      ["POST", "forward_backward", JSON.stringify({ model_id: "none", seq_id: 1 })],
      ["POST", "retrieve_future", JSON.stringify({ request_id: "none" })],
      ["DELETE", "training_runs/none/checkpoints/weights/none", undefined],
      ["GET", "nowhere", undefined],
    ] as const;
    while (!this.#isOver) {
      for (const [method, path, body] of refused) {
        const sent = body === undefined ? {} : { body, headers: { "content-type": "application/json" } };
        const answer = await fetch(`${this.#place.url}/api/v1/${path}`, { method, ...sent });
        await answer.text();
        if (answer.status < 400 || answer.status > 499)
          throw new Error(`${path} was answered ${answer.status}`);
      }
      await this.#done("refusals", refused.length);
      await sleep(8 * this.#place.pauseMs);
    }
  }

  /** Kills one client after another while work of theirs is under way. */
  async #killClients(): Promise<void> {
    const { url, model, endsAtMs } = this.#place;
    while (!this.#isOver) {
      const victim = fork(fileURLToPath(new URL("soak-victim.ts", import.meta.url)), [url, model]);
      const [message] = await once(victim, "message");
      if (message !== "busy") throw new Error(`a client said ${String(message)}`);
      const exit = once(victim, "exit");
      victim.kill("SIGKILL");
      await exit;
      await this.#done("killed clients");
      await sleep(Math.max(0, Math.min(VICTIM_INTERVAL_MS, endsAtMs - Date.now())));
    }
  }
}
