import { FakeClock } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { passBody } from "../testing/test-client.js";
import { TestServer, type TestServerOptions } from "../testing/test-server.js";

async function exported(options: TestServerOptions = {}) {
  const server = await TestServer.start(options);
  const modelId = await server.createModel();
  const body = { model_id: modelId, path: "out.v1", seq_id: 1 };
  const saved = await server.run("/save_weights_external", body);
  const path = `/training_runs/${modelId}/checkpoints/external_weights/out.v1`;
  const urls = async () => {
    const { body } = await server.get(`${path}/external_weights_urls`);
    return body as { urls: Record<string, string>; expires: string };
  };
  return { server, modelId, saved, path, urls };
}

describe("external weights", () => {
  it("are saved under a path of their own, listed, and deleted as other checkpoints", async () => {
    const { server, modelId, saved, path } = await exported();
    expect(saved).toEqual({
      path: `tinker://${modelId}/external_weights/out.v1`,
      size_bytes: expect.any(Number),
      type: "save_weights_external",
    });
    const listed = async () => (await server.get(`/training_runs/${modelId}/checkpoints`)).body.checkpoints;
    expect(await listed()).toMatchObject([
      { checkpoint_id: "external_weights/out.v1", checkpoint_type: "external" },
    ]);
    expect((await server.fetch("DELETE", path.replace("/api/v1", ""))).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect((await server.get(`${path}/external_weights_urls`)).status).toBe(404);
  });

  it("tell an address of each file, which gives it whole or in part to anybody who has the address", async () => {
    const { server, urls } = await exported();
    const { urls: byFile, expires } = await urls();
    expect(Object.keys(byFile)).toEqual(["adapter.json"]);
    expect(Date.parse(expires)).toBeGreaterThan(Date.now());
    const address = String(byFile["adapter.json"]);
    expect(address.startsWith(`${server.url}/api/v1/files/`)).toBe(true);
    const whole = await fetch(address);
    expect(whole.status).toBe(200);
    const text = await whole.text();
    expect(JSON.parse(text)).toMatchObject({ shape: expect.any(Object) });
    expect(Number(whole.headers.get("content-length"))).toBe(text.length);
    const rest = await fetch(address, { headers: { range: "bytes=5-" } });
    expect([rest.status, await rest.text()]).toEqual([206, text.slice(5)]);
    const behind = await fetch(address, { headers: { range: `bytes=${text.length}-` } });
    expect([behind.status, behind.headers.get("content-range")]).toEqual([416, `bytes */${text.length}`]);
    expect(await behind.json()).toEqual({
      detail: expect.stringContaining('behind the end of "adapter.json"'),
    });
    const changed = await fetch(address, { headers: { "if-match": '"another"' } });
    expect([changed.status, await changed.json()]).toEqual([412, { detail: expect.any(String) }]);
  });

  it("need no key for a signed address, and refuse one that was changed or is over", async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const dataDirectory = temporaryDirectory();
    const { urls, path, server } = await exported({ clock, dataDirectory });
    const address = new URL(String((await urls()).urls["adapter.json"]));
    const status = async (change: (url: URL) => void) => {
      const url = new URL(address);
      change(url);
      const response = await fetch(url);
      return `${response.status} ${(await response.text()).slice(0, 60)}`;
    };
    expect(await status(() => {})).toMatch(/^200/);
    for (const signature of ["00", "é".repeat(64), "0".repeat(64), "€".repeat(32)])
      expect(await status((url) => url.searchParams.set("signature", signature))).toMatch(
        /^403 .*not signed/,
      );
    const longer = (url: URL) => url.searchParams.set("signature", `${url.searchParams.get("signature")}zz`);
    expect(await status(longer)).toMatch(/^403 .*not signed/);
    expect(await status((url) => url.searchParams.set("expires", "9999999999999"))).toMatch(/^403/);
    expect(await status((url) => url.searchParams.delete("signature"))).toMatch(/^422/);
    const renamed = (url: URL) => {
      url.pathname = url.pathname.replace("adapter.json", "checkpoint.json");
    };
    expect(await status(renamed)).toMatch(/^403/);
    await clock.advance(60 * 60_000);
    expect(await status(() => {})).toMatch(/^403 .*was good until/);
    expect((await server.get(`${path}/external_weights_urls`)).status).toBe(200);
  });

  it("fail their own operation alone: a taken name, a wish for encryption, a load from them", async () => {
    const { server, modelId, saved } = await exported();
    const save = (sequenceId: number, more: object) =>
      server.post("/save_weights_external", {
        model_id: modelId,
        path: "out.v1",
        seq_id: sequenceId,
        ...more,
      });
    expect(await save(2, {})).toMatchObject({ status: 409 });
    const encrypted = { model_id: modelId, path: "x", seq_id: 3, age_encryption_recipients: ["age1xyz"] };
    expect(await server.run("/save_weights_external", encrypted)).toMatchObject({
      error: "age_encryption_recipients must be empty on this server, which does not encrypt, got 1",
      category: "user",
    });
    expect(
      await server.post("/asample", {
        model_path: saved.path,
        prompt: { chunks: [{ tokens: [1], type: "encoded_text" }] },
        sampling_params: { max_tokens: 1 },
      }),
    ).toMatchObject({
      status: 400,
      body: {
        detail: expect.stringContaining("must be a checkpoint of the kind weights or sampler_weights"),
      },
    });
    expect(await server.run("/forward_backward", passBody(modelId, 4))).toMatchObject({
      loss_fn_outputs: expect.any(Array),
    });
  });
});
