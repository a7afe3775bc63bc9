import type { FastifyInstance } from "fastify";
import type { ServerState } from "../../registries/server-state.js";
import { on } from "../on-endpoint.js";

const BYTES_PER_GIGABYTE = 1e9;

/** Endpoints for administrators. Nothing costs anything here, and nobody keeps a record of who did what. */
export function addAccountRoutes(api: FastifyInstance, state: ServerState): void {
  on(api, "get_checkpoint_storage", async () => {
    const checkpoints = await state.checkpoints.listAll();
    const sizeBytes = checkpoints.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    const usage = {
      checkpoint_count: checkpoints.length,
      size_bytes: sizeBytes,
      size_gigabytes: sizeBytes / BYTES_PER_GIGABYTE,
      estimated_monthly_cost_usd: 0,
    };
    return { effective_rate_usd_per_gigabyte_month: 0, data: checkpoints.length === 0 ? [] : [usage] };
  });

  on(api, "get_billing_usage", () => ({ data: [], sessions: {} }));

  on(api, "get_audit_log", () => ({ entries: [] }));
}
