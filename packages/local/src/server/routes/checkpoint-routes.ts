import type { FastifyInstance } from "fastify";
import * as z from "zod";
import type { RunRecord } from "../../disk/checkpoint-record.js";
import { resolveCheckpoint } from "../../disk/resolve-checkpoint.js";
import { RequestRefusal } from "../../errors/request-refusal.js";
import { checkpointView, runView } from "../../operations/rest-records.js";
import type { ServerState } from "../../registries/server-state.js";
import { readBody } from "../../requests/request-body.js";
import { weightsInfoBody } from "../../requests/session-bodies.js";

const page = (defaultLimit: number) =>
  z.object({
    limit: z.coerce.number().int().min(0).max(1000).default(defaultLimit),
    offset: z.coerce.number().int().min(0).default(0),
  });
const runsPage = page(20);
const checkpointsPage = page(100);

interface CheckpointParams {
  Params: { run: string; kind: string; name: string };
}

/** REST endpoints over training runs and checkpoints, all read from the data directory. */
export function addCheckpointRoutes(api: FastifyInstance, state: ServerState): void {
  api.get("/training_runs", async (request) => {
    const { limit, offset } = readBody(runsPage, request.query, "query");
    const runs = await state.runs.list();
    const shown = await Promise.all(runs.slice(offset, offset + limit).map((run) => runView(state, run)));
    return { training_runs: shown, cursor: { offset, limit, total_count: runs.length } };
  });

  api.get<{ Params: { run: string } }>("/training_runs/:run", async (request) => {
    return runView(state, await findRun(state, request.params.run));
  });

  api.get<{ Params: { run: string } }>("/training_runs/:run/checkpoints", async (request) => {
    const { training_run_id: runId } = await findRun(state, request.params.run);
    return { checkpoints: (await state.checkpoints.list(runId)).map(checkpointView) };
  });

  api.delete<CheckpointParams>("/training_runs/:run/checkpoints/:kind/:name", async (request, reply) => {
    const { run, kind, name } = request.params;
    const checkpoint = await resolveCheckpoint(state.checkpoints, `tinker://${run}/${kind}/${name}`);
    await state.checkpoints.delete(checkpoint);
    return reply.code(204).send();
  });

  api.get("/checkpoints", async (request) => {
    const { limit, offset } = readBody(checkpointsPage, request.query, "query");
    const checkpoints = await state.checkpoints.listAll();
    return {
      checkpoints: checkpoints.slice(offset, offset + limit).map(checkpointView),
      cursor: { offset, limit, total_count: checkpoints.length },
    };
  });

  api.post("/weights_info", async (request) => {
    const { tinker_path } = readBody(weightsInfoBody, request.body);
    const { base_model, shape } = await resolveCheckpoint(state.checkpoints, tinker_path);
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
  if (run === undefined) throw new RequestRefusal(404, `There is no training run ${runId} on this server.`);
  return run;
}
