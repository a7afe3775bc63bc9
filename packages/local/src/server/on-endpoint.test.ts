import { ENDPOINTS, matchEndpoint } from "@tinkex/types";
import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { TestServer } from "../testing/test-server.js";
import { createApp } from "./create-app.js";
import { on } from "./on-endpoint.js";

describe("on", () => {
  it("takes method and path from the row, with the parts of the path decoded", async () => {
    const api = fastify();
    on(api, "get_sampler", (request, { parameters }) => {
      expect(request).toBeUndefined();
      return { sampler_id: parameters.sampler, base_model: "b" };
    });
    const answer = await api.inject({ method: "GET", url: "/samplers/s%3Asample%3A0" });
    expect(answer.json()).toEqual({ sampler_id: "s:sample:0", base_model: "b" });
    expect((await api.inject({ method: "POST", url: "/samplers/s" })).statusCode).toBe(404);
  });

  it("answers 204 where the row has no record for the answer", async () => {
    const api = fastify();
    const deleted: string[] = [];
    on(api, "delete_checkpoint", async (_, { parameters: { run, kind, name } }) => {
      deleted.push(`${run}/${kind}/${name}`);
    });
    const answer = await api.inject({ method: "DELETE", url: "/training_runs/r/checkpoints/weights/a" });
    expect([answer.statusCode, answer.body, deleted]).toEqual([204, "", ["r/weights/a"]]);
  });

  it("gives the handler the row's record, read and checked", async () => {
    const api = fastify();
    on(api, "session_heartbeat", ({ session_id }) => ({ type: session_id }));
    const post = (payload: object) => api.inject({ method: "POST", url: "/session_heartbeat", payload });
    expect((await post({ session_id: "s", unknown: 1 })).json()).toEqual({ type: "s" });
    expect((await post({ session_id: 1 })).statusCode).not.toBe(200);
  });

  it("does not compile with another name, field, part of a path or answer", () => {
    const register = () => {
      const api = fastify();
      // @ts-expect-error: no endpoint of this name
      on(api, "optim_steps", () => ({ request_id: "1" }));
      // @ts-expect-error: the record has no such field
      on(api, "unload_model", ({ modelId }) => ({ request_id: modelId }));
      // @ts-expect-error: the path has no such part
      on(api, "get_sampler", (_, { parameters }) => ({ sampler_id: parameters.id, base_model: "b" }));
      // @ts-expect-error: the answer lacks a field
      on(api, "weights_info", () => ({ is_lora: true, optimizer_config: { type: "adamw" } }));
      // @ts-expect-error: this endpoint answers nothing
      on(api, "finish_session", () => ({ status: "ok" }));
    };
    expect(register).toBeTypeOf("function");
  });
});

describe("createApp", () => {
  it("serves endpoints of the table only", async () => {
    const { running } = await TestServer.start();
    const app = createApp(running.state, {
      guard: { host: "127.0.0.1", apiKey: undefined },
      holdMs: 1,
      headTimeoutMs: 1_000,
      requestTimeoutMs: 1_000,
    });
    const served = new Set<string>();
    app.addHook("onRoute", ({ method, url }) => {
      for (const verb of [method].flat()) {
        // Fastify adds it to every GET; files are a storage service and models a hub, which the table does not have.
        if (verb === "HEAD" || !url.startsWith("/api/v1/") || url.startsWith("/api/v1/files/")) continue;
        const name = matchEndpoint(verb, url)?.name;
        expect(name, `${verb} ${url}`).toBeDefined();
        served.add(name ?? "");
      }
    });
    await app.ready();
    expect(Object.keys(ENDPOINTS).filter((name) => !served.has(name))).toEqual([]);
    await app.close();
  });
});
