import type { FastifyInstance } from "fastify";
import { LOADABLE_KINDS, projectOf, type RunRecord } from "../../disk/checkpoint-record.js";
import { resolveCheckpoint } from "../../disk/resolve-checkpoint.js";
import { RequestRefusal } from "../../errors/request-refusal.js";
import { copyWeights } from "../../operations/copy-weights.js";
import { checkpointView, runView } from "../../operations/rest-records.js";
import { fingerprint } from "../../order/fingerprint.js";
import { IdempotentCalls } from "../../registries/idempotent-calls.js";
import type { ServerState } from "../../registries/server-state.js";
import { pageOf, runsQuery } from "../../requests/page.js";
import { readBody } from "../../requests/request-body.js";
import { on } from "../on-endpoint.js";

const checkpointsPage = pageOf(100);

/** Endpoints over training runs and checkpoints, all read from the data directory. */
export function addCheckpointRoutes(api: FastifyInstance, state: ServerState): void {
  on(api, "list_training_runs", async (_, { query }) => {
    const { limit, offset, project_id: project } = readBody(runsQuery, query, "query");
    const runs = (await state.runs.list()).filter((run) => (project ?? projectOf(run)) === projectOf(run));
    const shown = await Promise.all(runs.slice(offset, offset + limit).map((run) => runView(state, run)));
    return { training_runs: shown, cursor: { offset, limit, total_count: runs.length } };
  });

  on(api, "get_training_run", async (_, { parameters }) =>
    runView(state, await findRun(state, parameters.run)),
  );

  on(api, "list_run_checkpoints", async (_, { parameters }) => {
    const { training_run_id: runId } = await findRun(state, parameters.run);
    return { checkpoints: (await state.checkpoints.list(runId)).map(checkpointView) };
  });

  on(api, "delete_checkpoint", async (_, { parameters: { run, kind, name } }) => {
    const checkpoint = await resolveCheckpoint(state.checkpoints, `tinker://${run}/${kind}/${name}`);
    await state.checkpoints.delete(checkpoint);
  });

  on(api, "set_checkpoint_ttl", async ({ ttl_seconds: ttlSeconds }, { parameters: { run, kind, name } }) => {
    const checkpoint = await resolveCheckpoint(state.checkpoints, `tinker://${run}/${kind}/${name}`);
    await state.checkpoints.update(checkpoint, { ttlSeconds });
  });

  for (const [endpoint, isPublic] of [
    ["publish_checkpoint", true] as const,
    ["unpublish_checkpoint", false] as const,
  ]) {
    on(api, endpoint, async (_, { parameters: { run, kind, name } }) => {
      const path = `tinker://${run}/${kind}/${name}`;
      const checkpoint = await resolveCheckpoint(state.checkpoints, path);
      if ((checkpoint.is_public ?? false) === isPublic) {
        throw new RequestRefusal(409, `"${path}" is ${isPublic ? "public" : "private"} already`);
      }
      await state.checkpoints.update(checkpoint, { isPublic });
    });
  }

  on(api, "list_checkpoints", async (_, { query }) => {
    const { limit, offset } = readBody(checkpointsPage, query, "query");
    const checkpoints = await state.checkpoints.listAll();
    return {
      checkpoints: checkpoints.slice(offset, offset + limit).map(checkpointView),
      cursor: { offset, limit, total_count: checkpoints.length },
    };
  });

  const copies = new IdempotentCalls<string>();
  on(api, "copy_weights", async (body, { idempotencyKey }) => ({
    tinker_path: await copies.run(idempotencyKey, fingerprint(body), () => copyWeights(state, body)),
  }));

  on(api, "weights_info", async ({ tinker_path }) => {
    const { base_model, shape } = await resolveCheckpoint(state.checkpoints, tinker_path, LOADABLE_KINDS);
    return {
      base_model,
      is_lora: true,
      lora_rank: shape.rank,
      train_attn: shape.trainAttention,
      train_mlp: shape.trainMlp,
      train_unembed: shape.trainUnembedding,
      optimizer_config: { type: "adamw" },
    };
  });
}

async function findRun(state: ServerState, runId: string): Promise<RunRecord> {
  const run = await state.runs.read(runId);
  if (run === undefined)
    throw new RequestRefusal(404, `no training run ${runId} on this server; list those it has`);
  return run;
}
