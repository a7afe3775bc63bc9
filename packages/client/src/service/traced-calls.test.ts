import { subscribe, tracingChannel, unsubscribe } from "node:diagnostics_channel";
import {
  CHUNK_CHANNEL,
  type ChunkTrace,
  CONTENT_CHANNEL,
  type ContentMessage,
  EVENT_CHANNELS,
  type RequestTrace,
} from "@tinkex/types";
import { describe, expect, it, onTestFinished } from "vitest";
import { openService, throughSleeps } from "../testing/open-service.js";
import { openTraining, step } from "../testing/open-training.js";
import { events } from "./events.js";

const IGNORED = { end: () => {}, asyncStart: () => {} };

/** Notes the begin, the failure and the end of each chunk. */
function hearChunks(): string[] {
  const heard: string[] = [];
  const channel = tracingChannel<string, ChunkTrace>(CHUNK_CHANNEL);
  const subscribers = {
    ...IGNORED,
    start: ({ endpoint, operationId }: ChunkTrace) => heard.push(`${endpoint} of ${operationId}`),
    error: ({ error }: ChunkTrace) => heard.push(`failed: ${(error as Error).name}`),
    asyncEnd: ({ requestId }: ChunkTrace) => heard.push(`end of ${requestId}`),
  };
  channel.subscribe(subscribers);
  onTestFinished(() => channel.unsubscribe(subscribers));
  return heard;
}

const datum = (length: number) => ({
  model_input: new Int32Array(length).fill(1),
  loss_fn_inputs: { target_tokens: new Int32Array(length).fill(1) },
});

describe("spans of the requests that a pass is cut into", () => {
  it("last from the submission of each chunk to its result", async () => {
    const { stub, training } = await openTraining();
    const heard = hearChunks();
    await training.forwardBackward([datum(300_000), datum(300_000)], "cross_entropy");
    expect(stub.seen("forward_backward")).toHaveLength(2);
    expect(heard.slice(0, 2)).toEqual(["forward_backward of 2", "forward_backward of 2"]);
    expect(heard.slice(2).map((line) => line.split(" ")[0])).toEqual(["end", "end"]);
    expect(new Set(heard.slice(2)).size).toBe(2);
    await step(training);
    expect(heard).toHaveLength(4);
  });

  it("tell of a submission that is refused, which fails as it did before", async () => {
    const { stub, training } = await openTraining();
    const heard = hearChunks();
    stub.on("forward_backward", () => ({ status: 422, body: { detail: "no" } }));
    await expect(training.forwardBackward([datum(2)], "cross_entropy")).rejects.toThrow("422");
    expect(heard).toEqual(["forward_backward of 2", "failed: ApiStatusError", "end of undefined"]);
  });

  it("tell of a result that is a failure", async () => {
    const { stub, training, clock } = await openTraining();
    const heard = hearChunks();
    stub.on("retrieve_future", () => ({ body: { error: "broken", category: "server" } }));
    const pass = training.forward([datum(2)], "cross_entropy");
    await expect(throughSleeps(clock, pass)).rejects.toThrow("broken");
    expect(heard).toEqual([
      "forward of 2",
      "failed: RequestFailedError",
      expect.stringMatching(/^end of (?!undefined)/),
    ]);
  });
});

describe("headers that a subscriber of the requests' spans sets", () => {
  it("go out with each try, a number of its own", async () => {
    const { stub, training, clock } = await openTraining();
    const channel = tracingChannel<string, RequestTrace>(EVENT_CHANNELS.request);
    const start = (trace: RequestTrace): void => {
      trace.headers = { traceparent: `00-${"a".repeat(32)}-000000000000000${trace.attempt}-01` };
    };
    channel.start.subscribe(start as never);
    onTestFinished(() => void channel.start.unsubscribe(start as never));
    stub.script("optim_step", { status: 503 });
    await throughSleeps(clock, step(training));
    const sent = stub.seen("optim_step").map(({ headers }) => String(headers.traceparent).slice(-4));
    expect(sent).toEqual(["1-01", "2-01"]);
  });
});

describe("contents", () => {
  it("are published to those alone who subscribe to their channel", async () => {
    const { service } = await openService();
    const contents: ContentMessage[] = [];
    const hear = (message: unknown): void => void contents.push(message as ContentMessage);
    subscribe(CONTENT_CHANNEL, hear);
    onTestFinished(() => void unsubscribe(CONTENT_CHANNEL, hear));
    const messages: unknown[] = [];
    const reading = (async () => {
      for await (const message of events(service)) messages.push(message);
    })();
    const sampler = await service.createSamplingClient({ base_model: "b" });
    const { sequences } = await sampler.sample({
      prompt: [7, 8, 9],
      sampling_params: { max_tokens: 4, stop: ["END"] },
    });
    await service.close();
    await reading;
    expect(contents).toMatchObject([
      { type: "content.prompt", prompt: { chunks: [{ tokens: [7, 8, 9] }] }, stop: ["END"] },
      { type: "content.sequences", sequences },
    ]);
    const sample = messages.find((message) => JSON.stringify(message).includes('"method":"sample"'));
    expect(sample).toMatchObject({ operation: { operationId: contents[0]?.operationId } });
    expect(JSON.stringify(messages)).not.toContain("END");
  });

  it("are not published for a call that nobody hears of", async () => {
    const { service } = await openService();
    const contents: unknown[] = [];
    const hear = (message: unknown): void => void contents.push(message);
    subscribe(CONTENT_CHANNEL, hear);
    onTestFinished(() => void unsubscribe(CONTENT_CHANNEL, hear));
    const sampler = await service.createSamplingClient({ base_model: "b" });
    await sampler.sample({ prompt: [1], sampling_params: { max_tokens: 1 } });
    expect(contents).toEqual([]);
  });
});
