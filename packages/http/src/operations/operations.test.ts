import { answer } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { failureOf, play, transportTo } from "../testing/test-transport.js";
import type { Operation } from "./operations.js";
import { checkCall, OPERATIONS } from "./operations.js";

const BY_NAME: ReadonlyMap<string, Operation> = new Map(Object.entries(OPERATIONS));

/**
 * The API's own table: method and path, kind of traffic, limit in seconds, and how the official client repeats the call
 * (inner counted repeats, `+O` the outer loop of 300 s, which then owns the call alone).
 */
const OFFICIAL: readonly (readonly [string, string, string, number, string])[] = [
  ["healthz", "GET /healthz", "rest", 60, "10"],
  ["get_server_capabilities", "GET /get_server_capabilities", "rest", 60, "10+O"],
  ["client_config", "POST /client/config", "session", 60, "10+O"],
  ["client_dynamic_config", "POST /client/dynamic_config", "session", 10, "0+O"],
  ["auth_token", "POST /auth/token", "auth", 60, "10"],
  ["get_api_key", "GET /auth/apikey/me", "auth", 30, "none"],
  ["revoke_api_key", "DELETE /auth/apikey/me", "auth", 30, "none"],
  ["create_session", "POST /create_session", "session", 60, "10"],
  ["session_heartbeat", "POST /session_heartbeat", "session", 10, "0"],
  ["finish_session", "POST /sessions/{session}/finish", "rest", 60, "10+O"],
  ["create_sampling_session", "POST /create_sampling_session", "session", 60, "10"],
  ["join_sampling_session", "POST /join_sampling_session", "session", 60, "10+O"],
  ["create_model", "POST /create_model", "train", 60, "10"],
  ["get_info", "POST /get_info", "train", 60, "10+O"],
  ["unload_model", "POST /unload_model", "train", 60, "10"],
  ["create_custom_loss", "POST /create_custom_loss", "train", 60, "10+O"],
  ["forward", "POST /forward", "train", 60, "10+O"],
  ["forward_backward", "POST /forward_backward", "train", 60, "10+O"],
  ["optim_step", "POST /optim_step", "train", 60, "10+O"],
  ["load_weights", "POST /load_weights", "train", 60, "10+O"],
  ["save_weights", "POST /save_weights", "train", 60, "0+O"],
  ["save_weights_for_sampler", "POST /save_weights_for_sampler", "train", 60, "0+O"],
  ["save_weights_external", "POST /save_weights_external", "train", 60, "0+O"],
  ["copy_weights", "POST /copy_weights", "train", 60, "10+O"],
  ["asample", "POST /asample", "sample", 60, "0+O"],
  ["retrieve_future", "POST /retrieve_future", "poll", 45, "0"],
  ["retrieve_futures", "POST /retrieve_futures", "poll", 45, "0"],
  ["cancel_future", "POST /cancel_future", "poll", 30, "0+O"],
  ["telemetry", "POST /telemetry", "telemetry", 5, "10"],
  ["list_training_runs", "GET /training_runs", "rest", 60, "10+O"],
  ["get_training_run", "GET /training_runs/{run}", "rest", 60, "10+O"],
  ["list_run_checkpoints", "GET /training_runs/{run}/checkpoints", "rest", 60, "10+O"],
  ["delete_checkpoint", "DELETE /training_runs/{run}/checkpoints/{kind}/{name}", "rest", 60, "10+O"],
  ["publish_checkpoint", "POST /training_runs/{run}/checkpoints/{kind}/{name}/publish", "rest", 60, "10+O"],
  [
    "unpublish_checkpoint",
    "DELETE /training_runs/{run}/checkpoints/{kind}/{name}/publish",
    "rest",
    60,
    "10+O",
  ],
  ["set_checkpoint_ttl", "PUT /training_runs/{run}/checkpoints/{kind}/{name}/ttl", "rest", 60, "10+O"],
  [
    "get_checkpoint_archive",
    "GET /training_runs/{run}/checkpoints/{kind}/{name}/archive",
    "rest",
    60,
    "archive",
  ],
  [
    "get_external_weights_urls",
    "GET /training_runs/{run}/checkpoints/external_weights/{name}/external_weights_urls",
    "rest",
    60,
    "10+O",
  ],
  ["list_checkpoints", "GET /checkpoints", "rest", 60, "10+O"],
  ["weights_info", "POST /weights_info", "train", 60, "10+O"],
  ["get_sampler", "GET /samplers/{sampler}", "rest", 60, "10+O"],
  ["list_sessions", "GET /sessions", "rest", 60, "10+O"],
  ["get_session", "GET /sessions/{session}", "rest", 60, "10+O"],
  ["search_sessions", "POST /sessions/search", "rest", 60, "10+O"],
  ["set_session_project", "PUT /sessions/{session}/project", "rest", 60, "10+O"],
  ["get_trace_export", "GET /sessions/{session}/trace_export", "rest", 60, "10+O"],
  ["get_audit_log", "GET /audit", "rest", 60, "10+O"],
  ["get_billing_usage", "GET /billing/usage/events", "rest", 60, "10+O"],
  ["get_checkpoint_storage", "GET /billing/usage/checkpoints/current", "rest", 60, "10+O"],
];

function retryOf(official: string): Operation["retry"] {
  if (official === "archive") return "archive";
  if (official.endsWith("+O")) return "patient";
  return official === "10" ? "counted" : "none";
}

/** How often each policy sends while the service answers 503 at once. */
const ATTEMPTS: Readonly<Record<Operation["retry"], number>> = {
  none: 1,
  counted: 11,
  patient: 15,
  archive: 6,
};

describe("the table of operations", () => {
  it.each(OFFICIAL)("transport 32: %s is as the API has it", (name, call, pool, seconds, retry) => {
    const operation = BY_NAME.get(name);
    expect(operation).toBeDefined();
    if (operation === undefined) return;
    expect(`${operation.method} ${operation.path}`).toBe(call.replace(" ", " /api/v1"));
    expect(operation.pool).toBe(pool);
    expect((operation.timeouts.totalMs ?? operation.timeouts.headersMs) / 1000).toBe(seconds);
    expect(operation.retry).toBe(retryOf(retry));
    expect(operation.idempotent).toBe(
      name === "revoke_api_key" ? "no" : operation.method === "GET" ? "method" : "key",
    );
  });

  it.each(OFFICIAL)("transport 32: %s goes out as its row says, and is repeated as it says", async (name) => {
    const operation = BY_NAME.get(name);
    if (operation === undefined) throw new Error("no such row");
    const server = await play(answer(503));
    const transport = transportTo(server);
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, part = ""]) => part);
    const pathParameters = Object.fromEntries(names.map((part) => [part, `my ${part}`]));
    const error = await failureOf(transport.call({ operation: name, pathParameters }));
    expect(error).toMatchObject({ status: 503, attempts: ATTEMPTS[operation.retry] });
    expect(server.requests).toHaveLength(ATTEMPTS[operation.retry]);
    const [request] = server.requests;
    expect(request?.method).toBe(operation.method);
    expect(request?.path).toBe(operation.path.replace(/\{(\w+)\}/g, "my%20$1"));
    const { totalMs, headersMs } = operation.timeouts;
    expect(request?.headers["x-stainless-read-timeout"]).toBe(String((totalMs ?? headersMs) / 1000));
    const keys = new Set(server.header("x-idempotency-key"));
    expect(keys.size).toBe(1);
    expect(keys.has(undefined)).toBe(operation.idempotent !== "key");
  });

  it("has no row that the API does not have", () => {
    expect(Object.keys(OPERATIONS).sort()).toEqual(OFFICIAL.map(([name]) => name).sort());
  });

  it("takes a name for a row only if it is one", () => {
    for (const operation of ["toString", "__proto__", "hasOwnProperty", "", "Healthz"]) {
      expect(() => checkCall({ operation }), operation).toThrow(/^there is no operation/);
    }
    expect(checkCall({ operation: "healthz" })).toBe(OPERATIONS.healthz);
  });
});
