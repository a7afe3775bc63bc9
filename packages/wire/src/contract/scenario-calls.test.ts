import { fromBinary } from "@bufbuild/protobuf";
import type { ApiGeneration, Datum, LossFnType, SampleRequest } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { parseJson } from "../json/decode-json.js";
import { encodeJsonRequest } from "../json/encode-json.js";
import { ForwardBackwardRequestSchema } from "../proto.js";
import {
  bodyBytes,
  type Exchange,
  exchangesOf,
  type Step,
  scenariosOf,
  stepsOf,
  type Version,
  versions,
  withoutNulls,
} from "../testing/recorded.js";
import { datumOf, generatedData, modelInputOf } from "../testing/scenario-data.js";
import { encodeForwardBackwardRequest } from "../training/encode-forward-backward.js";
import { readForwardBackward } from "../training/read-forward-backward.js";
import { ruledDifferences } from "./ruled-differences.js";

const generationOf: Readonly<Record<Version, ApiGeneration>> = {
  "0.4.1": "0.4",
  "0.25.0": "0.25",
  "0.38.0": "0.38",
};

interface Recorded {
  readonly step: Step;
  readonly exchange: Exchange;
  readonly bytes: Uint8Array;
  readonly place: string;
}

/** The first body that a call sent to one of the paths; repeats of a request come after it. */
function recordedCalls(version: Version, calls: readonly string[], path: RegExp): Recorded[] {
  return scenariosOf(version).flatMap((scenario) => {
    const exchanges = exchangesOf(version, scenario);
    return [...stepsOf(version, scenario).values()].flatMap((step) => {
      if (!calls.includes(step.call) || step.group !== undefined) return [];
      const exchange = exchanges.find(({ step: id, request }) => id === step.id && path.test(request.path));
      const bytes = exchange === undefined ? undefined : bodyBytes(exchange.request);
      if (exchange === undefined || bytes === undefined) return [];
      return [{ step, exchange, bytes, place: `${version} ${scenario} ${step.id}` }];
    });
  });
}

function dataOf({ args }: Step): Datum[] {
  if ("data_generator" in args) return generatedData(args.data_generator as { count: number });
  return (args.data as unknown[]).map(datumOf);
}

function json(bytes: Uint8Array): Record<string, unknown> {
  return withoutNulls(parseJson(bytes, "body")) as Record<string, unknown>;
}

describe.each(versions)("the calls recorded from SDK %s", (version) => {
  it("give the recorded training bodies", () => {
    const calls = recordedCalls(
      version,
      ["training.forwardBackward", "training.forward"],
      /\/forward(_backward)?$/,
    );
    expect(calls.length).toBeGreaterThan(version === "0.4.1" ? 20 : 30);
    for (const { step, bytes, place } of calls) {
      const wire = version === "0.4.1" ? "json" : "protobuf";
      const recorded = wire === "json" ? json(bytes) : readForwardBackward(bytes);
      // A name that no server knows is sent by theirs and refused by ours.
      if (step.args.loss_fn === "no_such_loss") continue;
      const request = {
        // Which chunk, model and number it is, the client knows.
        model_id: recorded.model_id as string,
        seq_id: recorded.seq_id as number,
        forward_only: step.call === "training.forward",
        forward_backward_input: {
          data: dataOf(step),
          loss_fn: step.args.loss_fn as LossFnType,
          loss_fn_config: step.args.loss_fn_config as Record<string, number> | undefined,
        },
      };
      const { body } = encodeForwardBackwardRequest(request, { wire, generation: generationOf[version] });
      if (wire === "json") {
        expect(json(body), place).toEqual(recorded);
        continue;
      }
      const [ours, theirs] = [body, bytes].map((message) =>
        fromBinary(ForwardBackwardRequestSchema, message),
      );
      // The newer of the two config maps came with 0.38.
      if (version === "0.25.0" && ours !== undefined) ours.lossFnConfigV2 = {};
      expect(ours, place).toEqual(theirs);
      // With at most one map entry everywhere the order is fixed, and so is every byte.
      const single = (datum: Datum) => Object.keys(datum.loss_fn_inputs).length <= 1;
      if (
        request.forward_backward_input.data.every(single) &&
        request.forward_backward_input.loss_fn_config === undefined
      ) {
        expect(body, place).toEqual(bytes);
      }
    }
  });

  it("give the recorded sample bodies", () => {
    const calls = recordedCalls(version, ["sampling.sample"], /\/asample$/);
    expect(calls.length).toBeGreaterThan(25);
    for (const { step, bytes, place } of calls) {
      const recorded = json(bytes);
      const { args } = step;
      const request = {
        prompt: modelInputOf(args.prompt),
        num_samples: args.num_samples,
        sampling_params: integers(args.sampling_params),
        sampling_session_id: recorded.sampling_session_id,
        seq_id: recorded.seq_id,
        prompt_logprobs: args.include_prompt_logprobs ?? false,
        topk_prompt_logprobs: args.topk_prompt_logprobs ?? 0,
        topk_sample_logprobs: args.topk_sample_logprobs,
        target_prompt_logprobs: args.target_prompt_logprobs,
        prompt_alt_tokens_k: args.prompt_alt_tokens_k,
        prompt_logprobs_last_n: args.prompt_logprobs_last_n,
        // An option of the sampler, not of the call.
        record_stability_info: recorded.record_stability_info,
      } as unknown as SampleRequest;
      const { body } = encodeJsonRequest("SampleRequest", request, { generation: generationOf[version] });
      const expected = ruledDifferences
        .filter(({ name }) => name === "SampleRequest")
        .reduce((sent, { change }) => change(sent) ?? sent, recorded);
      expect(json(body), place).toEqual(expected);
    }
  });

  it("give the recorded optimizer steps and saves", () => {
    const options = { generation: generationOf[version] };
    for (const { step, bytes, place } of recordedCalls(version, ["training.optimStep"], /\/optim_step$/)) {
      const { model_id, seq_id, ...recorded } = json(bytes);
      if (recorded.optimizer_params !== undefined) continue;
      const request = {
        model_id: model_id as string,
        seq_id: seq_id as number,
        adam_params: step.args.adam_params as object,
      };
      const { body } = encodeJsonRequest("OptimStepRequest", request, options);
      expect(json(body), place).toEqual({ model_id, seq_id, ...recorded });
    }
    const saves = recordedCalls(version, ["training.saveState"], /\/save_weights$/);
    expect(saves.length).toBeGreaterThan(0);
    for (const { step, bytes, place } of saves) {
      const recorded = json(bytes);
      const { name, ...rest } = step.args as { name: string };
      const request = {
        model_id: recorded.model_id as string,
        seq_id: recorded.seq_id as number,
        path: name,
        ...rest,
      };
      expect(json(encodeJsonRequest("SaveWeightsRequest", request, options).body), place).toEqual(recorded);
    }
  });
});

/** Seeds beyond 2^53 are written as `{ $int }`. */
function integers(params: unknown): unknown {
  const entries = Object.entries(params as Record<string, unknown>).map(([key, value]) => {
    const isLong = typeof value === "object" && value !== null && "$int" in value;
    return [key, isLong ? BigInt(String(value.$int)) : value];
  });
  return Object.fromEntries(entries) as unknown;
}
