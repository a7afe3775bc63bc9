import { ServiceClient } from "@tinkex/client";
import { type LocalServer, startLocalServer } from "@tinkex/local";
import { CANARY_KEY, CANARY_PROMPT } from "@tinkex-tooling/canary";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { InstrumentOptions } from "./instrument.js";
import { instrument } from "./instrument.js";
import { type Interception, startProxy } from "./testing/intercepting-proxy.js";
import type { ReceivedSpan } from "./testing/otlp-receiver.js";
import { startTracing, type Tracing } from "./testing/tracing.js";

const MODEL = "tinkex/pocket-1";
const NAME = `text_completion ${MODEL}`;
const PARAMS = { max_tokens: 3, temperature: 0.5, top_p: 0.9, top_k: 7, seed: 11, stop: [CANARY_PROMPT] };
/** Ids that no other number of a span has by chance. */
const PROMPT = [...CANARY_PROMPT].map((letter) => letter.codePointAt(0) ?? 0);

let server: LocalServer;
beforeAll(async () => {
  server = await startLocalServer({ seed: 1 });
});
afterAll(() => server.close());

interface Sampled {
  readonly tracing: Tracing;
  readonly spans: readonly ReceivedSpan[];
  readonly span: ReceivedSpan;
  readonly outcome: PromiseSettledResult<{
    readonly sequences: readonly { readonly tokens: ArrayLike<number> }[];
  }>;
  readonly port: number;
}

/** Draws two samples of the canary prompt while it is traced. @param answer - of the service, in place of its own */
async function sampled(options: InstrumentOptions = {}, answer?: Interception): Promise<Sampled> {
  const tracing = await startTracing();
  const proxy = await startProxy(server.url);
  if (answer !== undefined) proxy.answer("asample", answer);
  const service = new ServiceClient({ baseUrl: proxy.url, apiKey: CANARY_KEY, env: {} });
  onTestFinished(() => service.close());
  const sampler = await service.createSamplingClient({ base_model: MODEL });
  const undo = instrument(options);
  onTestFinished(undo);
  const [outcome] = await Promise.allSettled([
    sampler.sample({ prompt: PROMPT, num_samples: 2, sampling_params: PARAMS }),
  ]);
  undo();
  const spans = await tracing.spans();
  const span = spans.find(({ name }) => name === NAME);
  if (span === undefined) throw new Error(`no span ${NAME}`);
  return { tracing, spans, span, outcome, port: Number(new URL(proxy.url).port) };
}

const textOf = (spans: readonly ReceivedSpan[]): string =>
  JSON.stringify(spans, (_, value) => (typeof value === "bigint" ? String(value) : value));

describe("a trace of a sample", () => {
  it("has the attributes of the GenAI conventions, and none of the contents", async () => {
    const { span, spans, port, tracing, outcome } = await sampled();
    if (outcome.status === "rejected") throw outcome.reason;
    const outputTokens = outcome.value.sequences.reduce((sum, { tokens }) => sum + tokens.length, 0);
    expect(span).toMatchObject({ kind: "client", hasFailed: false, parentSpanId: undefined });
    // The service may say how it stands in the queue, or be done before it is asked.
    const { "tinker.queue_state": state, ...attributes } = span.attributes;
    expect([undefined, "active"]).toContain(state);
    expect(attributes).toEqual({
      "gen_ai.operation.name": "text_completion",
      "gen_ai.provider.name": "tinker",
      "gen_ai.request.model": MODEL,
      "gen_ai.request.max_tokens": 3,
      "gen_ai.request.temperature": 0.5,
      "gen_ai.request.top_p": 0.9,
      "gen_ai.request.top_k": 7,
      "gen_ai.request.seed": 11,
      "gen_ai.request.choice.count": 2,
      "gen_ai.usage.input_tokens": PROMPT.length,
      "gen_ai.usage.output_tokens": outputTokens,
      "gen_ai.usage.cache_read.input_tokens": 0,
      "gen_ai.response.finish_reasons": [expect.any(String), expect.any(String)],
      "gen_ai.response.id": expect.any(String),
      "server.address": "127.0.0.1",
      "server.port": port,
      "tinker.session_id": expect.any(String),
      "tinker.sampling_session_id": expect.any(String),
    });
    const text = textOf(spans);
    expect(text).not.toContain(CANARY_PROMPT);
    expect(text).not.toContain(PROMPT.join(","));
    expect(text).not.toContain(CANARY_KEY);
    const sizes = [
      ["gen_ai.client.operation.duration", 1],
      ["gen_ai.client.inference.usage.input_tokens", PROMPT.length],
      ["gen_ai.client.inference.usage.output_tokens", outputTokens],
    ] as const;
    for (const [name, value] of sizes) {
      const attributes = { "gen_ai.operation.name": "text_completion", "gen_ai.request.model": MODEL };
      expect(await tracing.metric(name), name).toMatchObject([{ value, attributes }]);
    }
  });

  it("has the prompt, the samples and the stop sequences where contents are asked for", async () => {
    const { span, outcome } = await sampled({ content: true });
    if (outcome.status === "rejected") throw outcome.reason;
    const { "gen_ai.input.messages": input, "gen_ai.output.messages": output, ...others } = span.attributes;
    expect(JSON.parse(String(input))).toEqual([
      { role: "user", parts: [{ type: "tinker.tokens", token_ids: PROMPT }] },
    ]);
    expect(JSON.parse(String(output))).toMatchObject(
      outcome.value.sequences.map(({ tokens }) => ({
        role: "assistant",
        parts: [{ type: "tinker.tokens", token_ids: [...Array.from(tokens)] }],
        finish_reason: expect.any(String),
      })),
    );
    expect(others["gen_ai.request.stop_sequences"]).toEqual([CANARY_PROMPT]);
  });

  it("has contents as text where a function decodes them", async () => {
    const { span } = await sampled({ content: (tokens) => `${tokens.length} tokens` });
    expect(JSON.parse(String(span.attributes["gen_ai.input.messages"]))).toEqual([
      { role: "user", parts: [{ type: "text", content: `${PROMPT.length} tokens` }] },
    ]);
  });

  it.each([
    [false, undefined],
    [true, expect.stringContaining("words of a prompt")],
  ])(
    "tells of a failure by its class; of its words where contents are asked for: %s",
    async (content, words) => {
      const { span, tracing } = await sampled(
        { content },
        { status: 400, body: { detail: "words of a prompt" } },
      );
      expect(span).toMatchObject({ hasFailed: true, attributes: { "error.type": "bad_request" } });
      expect(span.statusMessage).toEqual(words);
      expect(await tracing.metric("gen_ai.client.operation.duration")).toMatchObject([
        { value: 1, attributes: { "error.type": "bad_request" } },
      ]);
    },
  );

  it("is the same sample where a decoder throws", async () => {
    const { span, outcome } = await sampled({
      content: () => {
        throw new Error("no tokenizer");
      },
    });
    expect(outcome.status).toBe("fulfilled");
    expect(span.hasFailed).toBe(false);
  });
});
