import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { DEFAULT_PROJECT, projectOf } from "../../disk/checkpoint-record.js";
import { LOCAL_USER } from "../../operations/local-user.js";
import type { ServerState } from "../../registries/server-state.js";
import { readBody } from "../../requests/request-body.js";
import { on } from "../on-endpoint.js";

const BYTES_PER_GIGABYTE = 1e9;

const storageQuery = z.object({ project_id: z.string().optional() });

/** Endpoints for administrators. Nothing costs anything here, and nobody keeps a record of who did what. */
export function addAccountRoutes(api: FastifyInstance, state: ServerState): void {
  on(api, "get_checkpoint_storage", async (_, { query }) => {
    const { project_id: wanted } = readBody(storageQuery, query, "query");
    const usage = await storageByProject(state);
    return {
      effective_rate_usd_per_gigabyte_month: 0,
      data: [...usage].flatMap(([project_id, { count, sizeBytes }]) =>
        (wanted ?? project_id) !== project_id
          ? []
          : {
              project_id,
              org_user_urn: LOCAL_USER.userUrn,
              checkpoint_count: count,
              size_bytes: sizeBytes,
              size_gigabytes: sizeBytes / BYTES_PER_GIGABYTE,
              estimated_monthly_cost_usd: 0,
            },
      ),
    };
  });

  on(api, "get_billing_usage", () => ({ data: [], sessions: {} }));

  on(api, "get_audit_log", () => ({ entries: [] }));
}

interface Storage {
  readonly count: number;
  readonly sizeBytes: number;
}

async function storageByProject(state: ServerState): Promise<ReadonlyMap<string, Storage>> {
  const projects = new Map((await state.runs.list()).map((run) => [run.training_run_id, projectOf(run)]));
  const usage = new Map<string, Storage>();
  for (const { training_run_id: run, size_bytes } of await state.checkpoints.listAll()) {
    const project = projects.get(run) ?? DEFAULT_PROJECT;
    const { count, sizeBytes } = usage.get(project) ?? { count: 0, sizeBytes: 0 };
    usage.set(project, { count: count + 1, sizeBytes: sizeBytes + size_bytes });
  }
  return usage;
}
