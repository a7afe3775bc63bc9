import { on, once } from "node:events";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EngineReply, EngineRequest, RemoteCall } from "./engine-protocol.js";
import { createInProcessEngine } from "./in-process-engine.js";
import type { RecoverableEngine } from "./recoverable-engine.js";
import { serveEngine } from "./serve-engine.js";

const directory = new URL("../../fixtures/numerics/models/tiny-llama", import.meta.url).pathname;

describe("serveEngine", () => {
  let port: MessagePort;

  const serve = (starting: Promise<RecoverableEngine>) => {
    const channel = new MessageChannel();
    port = channel.port2;
    serveEngine(channel.port1, starting);
  };
  const post = (request: EngineRequest) => port.postMessage(request);
  const call = (id: number, call: RemoteCall) => post({ kind: "call", id, call });
  const reply = async (): Promise<EngineReply> => (await once(port, "message"))[0];
  const replies = async (count: number): Promise<EngineReply[]> => {
    const received: EngineReply[] = [];
    for await (const [message] of on(port, "message")) {
      received.push(message);
      if (received.length === count) break;
    }
    return received;
  };
  const sample = (id: number, size: { readonly sampleCount: number; readonly maxTokens: number }) =>
    call(id, {
      method: "sample",
      args: [
        {
          prompt: Int32Array.of(1, 2, 3),
          ...size,
          seed: 1,
          temperature: 1,
          topK: -1,
          topP: 1,
          stopTokenIds: [],
          stopTexts: [],
          wantsPromptLogprobs: false,
          topkPromptLogprobs: 0,
        },
      ],
    });
  const endless = (id: number) => sample(id, { sampleCount: 64, maxTokens: 500 });

  beforeEach(() => serve(createInProcessEngine({ model: { name: "tinkex/tiny", directory } })));
  afterEach(async () => {
    post({ kind: "close" });
    await once(port, "close");
  });

  it("describes the engine, and answers what was asked before it was there", async () => {
    call(5, { method: "describe", args: [] });
    expect(await reply()).toMatchObject({ kind: "result", id: 5, value: { model: { name: "tinkex/tiny" } } });
  });

  it("aborts the call that an abort names, and no other", async () => {
    sample(1, { sampleCount: 2, maxTokens: 30 });
    endless(2);
    post({ kind: "abort", id: 99 });
    post({ kind: "abort", id: 2 });
    expect(await replies(2)).toMatchObject([
      { kind: "error", id: 2, error: { kind: "aborted" } },
      { kind: "result", id: 1, value: { sequences: [{}, {}] } },
    ]);
  });

  it("answers what is under way with an error when it is closed", async () => {
    endless(1);
    const answer = reply();
    post({ kind: "close" });
    expect(await answer).toMatchObject({ kind: "error", id: 1, error: { kind: "closed" } });
  });

  it("answers every call with why the engine could not be made", async () => {
    serve(createInProcessEngine({ model: { name: "x", directory: "/no/such/model" } }));
    for (const id of [1, 2]) {
      call(id, { method: "describe", args: [] });
      expect(await reply()).toMatchObject({ kind: "error", id, error: { kind: "validation" } });
    }
  });
});
