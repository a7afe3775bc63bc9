import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRecording } from "../../packages/renderers/src/testing/recording.js";
import {
  recordedEncodings,
  recordedTokenizers,
} from "../../packages/tokenizer/src/testing/recorded-tokenizers.js";
import {
  bodyBytes,
  type Exchange,
  exchangesOf,
  type Step,
  stepsOf,
} from "../../packages/wire/src/testing/recorded.js";
import { datumOf } from "../../packages/wire/src/testing/scenario-data.js";
import { findChromium } from "./find-chromium.mjs";
import { openProgramPage, type ProgramPage } from "./program-page.js";

const chromium = findChromium(process.env);
if ("missing" in chromium) console.warn(`skipped: packages in a browser: ${chromium.missing}`);

/** The first exchange of a step whose path ends so. */
function recorded(scenario: string, step: string, path: string): Exchange {
  const found = exchangesOf("0.38.0", scenario).find(
    ({ step: id, request }) => id === step && request.path.endsWith(path),
  );
  if (found === undefined) throw new Error(`nothing is recorded for ${scenario} ${step} ${path}`);
  return found;
}

function stepOf(scenario: string, id: string): Step {
  const step = stepsOf("0.38.0", scenario).get(id);
  if (step === undefined) throw new Error(`${scenario} has no step ${id}`);
  return step;
}

/** The recorded cast of an array of doubles, of which some must be rounded. */
function recordedCast(): { readonly input: { values: number[] }; readonly tensor: { shape: number[] } } {
  const cases: readonly { name: string; input: { values: number[] }; tensor: { shape: number[] } }[] =
    JSON.parse(
      readFileSync(new URL("../../packages/tensor/fixtures/tensordata.json", import.meta.url), "utf8"),
    );
  const found = cases.find(({ name }) => name === "numpy float64 1-D");
  if (found === undefined) throw new Error("the cast is not recorded");
  return found;
}

/** `[weight, count]` pairs, as the recordings write weights. */
function runsOf(weights: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const weight of weights) {
    const last = runs.at(-1);
    if (last?.[0] === weight) last[1]++;
    else runs.push([weight, 1]);
  }
  return runs;
}

describe.skipIf("missing" in chromium)("in headless Chromium", () => {
  const qwen3 = recordedTokenizers.find(({ name }) => name === "qwen3")?.directory ?? "";
  let program: ProgramPage;

  beforeAll(async () => {
    if ("missing" in chromium) return;
    program = await openProgramPage(
      chromium.path,
      new Map([
        [
          "/qwen3/tokenizer.json",
          { contentType: "application/json", body: readFileSync(join(qwen3, "tokenizer.json")) },
        ],
      ]),
    );
    console.log(`Chromium ${program.browser.version}`);
  });
  afterAll(() => program?.[Symbol.asyncDispose]());

  const typesInput = {
    answer: recorded("canonical-flow", "s03", "/get_info").response?.body_text ?? "",
    badParams: { max_tokens: 4, temprature: 1 },
  };
  const typesOutput = {
    record: stepOf("canonical-flow", "s04").result,
    fault: {
      code: "validation_failed",
      message: 'SamplingParams: unknown field "temprature", did you mean "temperature"?',
    },
  };

  it("@tinkex/types reads a recorded answer and refuses a misspelt field", async () => {
    expect(await program.run("types", typesInput)).toEqual(typesOutput);
  });

  it("@tinkex/types does so in a worker, and its records pass between threads", async () => {
    expect(await program.runTypesInWorker(typesInput)).toEqual(typesOutput);
  });

  it("@tinkex/wire writes a recorded training request byte for byte, and reads its result", async () => {
    // One with a single tensor in each datum: the order of several is arbitrary on the wire.
    const { args, result: decoded } = stepOf("losses", "s33");
    const sent = recorded("losses", "s33", "/forward_backward").request;
    const answer = recorded("losses", "s33", "/retrieve_future").response;
    const { model_id, seq_id } = sent.body_proto_json as { model_id: string; seq_id: number };
    const data = (args.data as unknown[]).map(datumOf);
    const { body, result } = await program.run("wire", {
      request: { model_id, seq_id, forward_backward_input: { data, loss_fn: "cross_entropy" } },
      answer: {
        status: answer?.status ?? 0,
        headers: answer?.headers ?? {},
        bytes: [...((answer && bodyBytes(answer)) ?? [])],
      },
    });
    expect(Buffer.from(body).toString("hex")).toBe(Buffer.from(bodyBytes(sent) ?? []).toString("hex"));
    expect(result).toEqual(decoded);
  });

  it("@tinkex/tensor casts as recorded", async () => {
    const { input, tensor } = recordedCast();
    expect(await program.run("tensor", { values: input.values, shape: tensor.shape })).toEqual(tensor);
  });

  it("@tinkex/tokenizer encodes and decodes the recorded texts with Qwen3's tokenizer, fetched over HTTP", async () => {
    const { strings } = recordedEncodings("qwen3");
    expect(strings.length).toBeGreaterThan(50);
    const results = await program.run("tokenizer", {
      url: "/qwen3/tokenizer.json",
      texts: strings.map(({ text }) => text),
    });
    expect(results).toEqual(strings.map(({ text, ids, decode }) => ({ ids, decoded: decode ?? text })));
  });

  it("cookbook 10: @tinkex/renderers renders a recorded conversation, and reads a recorded response", async () => {
    const { conversations, parse } = readRecording("qwen3");
    const conversation = conversations.find(({ id }) => id === "three_turns_thinking");
    const response = parse.find(
      ({ response_text: text, failure }) => /<think>/.test(text) && failure === null,
    );
    const { prompt, example, weights, reply } = await program.run("renderers", {
      tokenizerUrl: "/qwen3/tokenizer.json",
      messages: conversation?.messages ?? [],
      response: response?.ids ?? [],
    });
    expect(conversation?.generation).toMatchObject({
      ids: prompt.flat(),
      chunk_lengths: prompt.map(({ length }) => length),
    });
    expect(conversation?.supervised).toMatchObject({
      ids: example.flat(),
      weights: { all_assistant_messages: runsOf(weights) },
    });
    expect(reply).toEqual({
      message: response?.message,
      termination: response?.termination,
      failure: null,
    });
  });

  it("throws, logs and fetches nothing beside that", () => {
    const { errors, requests } = program.browser;
    expect(errors).toEqual([]);
    expect(requests.length).toBeGreaterThan(6);
    expect(requests.filter((url) => new URL(url).origin !== program.origin)).toEqual([]);
  });
});
