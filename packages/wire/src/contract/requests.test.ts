import { fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import type { ApiGeneration, Records } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { parseJson } from "../json/decode-json.js";
import { encodeJsonRequest } from "../json/encode-json.js";
import { ForwardBackwardRequestSchema } from "../proto.js";
import {
  allExchanges,
  bodyBytes,
  type Exchange,
  type Version,
  versions,
  withoutNulls,
} from "../testing/recorded.js";
import { writeForwardBackward } from "../training/encode-forward-backward.js";
import { readForwardBackward } from "../training/read-forward-backward.js";
import { requestNameOf } from "./recorded-names.js";
import { ruledDifferences } from "./ruled-differences.js";

const generationOf: Readonly<Record<Version, ApiGeneration>> = {
  "0.4.1": "0.4",
  "0.25.0": "0.25",
  "0.38.0": "0.38",
};

/** What 0.25 and later send without being asked: the caller's record does not have it. */
const unasked: Readonly<Record<string, unknown>> = {
  overwrite: false,
  optimizer: false,
  allow_metadata_only: false,
  num_samples: 1,
  topk_prompt_logprobs: 0,
  temperature: 1,
  top_k: -1,
  top_p: 1,
  learning_rate: 0.0001,
  beta1: 0.9,
  beta2: 0.95,
  eps: 1e-12,
  weight_decay: 0,
  grad_clip_norm: 0,
  train_unembed: true,
  train_mlp: true,
  train_attn: true,
};

/** Words that are constants of their record. Optimizers, owners and other unions choose by `type`, and keep it. */
const constantTypes = new Set(["encoded_text", "image", "image_asset_pointer", "dmel"]);

/** The record that a caller would have given for a recorded body. */
function asked(value: unknown, isBody = true): unknown {
  if (Array.isArray(value)) return value.map((item) => asked(item, false));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([key, member]) => {
    if (key === "type") return !(isBody || constantTypes.has(String(member)));
    // Free metadata is the caller's, whatever its names.
    return !(key in unasked && unasked[key] === member && !("purpose" in value));
  });
  return Object.fromEntries(members.map(([key, member]) => [key, asked(member, false)]));
}

/** An image of 0.4 as our record has it: the number of its tokens is expected_tokens. */
function withExpectedTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExpectedTokens);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  const members = Object.entries(value).map(([key, member]) =>
    key === "tokens" && typeof member === "number"
      ? ["expected_tokens", member]
      : [key, withExpectedTokens(member)],
  );
  return Object.fromEntries(members) as unknown;
}

/** Lists with integers beyond 2^53 are given as typed arrays. */
function withLongIntegers(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isLong = value.some((item) => typeof item === "bigint");
    return isLong ? BigInt64Array.from(value, BigInt) : value.map(withLongIntegers);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withLongIntegers(member)]));
}

interface JsonRequest {
  readonly exchange: Exchange;
  readonly name: NonNullable<ReturnType<typeof requestNameOf>>;
  readonly recorded: Record<string, unknown>;
}

function jsonRequests(version: Version): JsonRequest[] {
  return allExchanges(version).flatMap((exchange) => {
    const name = requestNameOf(exchange.request);
    if (name === undefined || exchange.request.body_text === undefined) return [];
    // A placeholder stands for times, which we check.
    const text = exchange.request.body_text.replaceAll("<timestamp>", "2026-01-02T03:04:05Z");
    const body = parseJson(Buffer.from(text), name, {
      marksFloats: name === "CreateCustomLossRequest",
    });
    return [{ exchange, name, recorded: body as Record<string, unknown> }];
  });
}

describe.each(versions)("requests of SDK %s", (version) => {
  it("has a record for every JSON body", () => {
    const unknown = allExchanges(version)
      .filter(({ request }) => request.body_text !== undefined && requestNameOf(request) === undefined)
      .map(({ request }) => request.path);
    // Exchanging a key for a token sends {} and has no record.
    expect(new Set(unknown)).toEqual(new Set(version === "0.4.1" ? [] : ["/api/v1/auth/token"]));
  });

  it("reproduces every JSON body", () => {
    const requests = jsonRequests(version);
    expect(requests.length).toBeGreaterThan(450);
    for (const { exchange, name, recorded } of requests) {
      const place = `${exchange.scenario} ${exchange.step} ${exchange.request.path}`;
      const ruled = ruledDifferences.filter((difference) => difference.name === name);
      const expected = ruled.reduce(
        (body, { change }) => change(body) ?? body,
        withoutNulls(recorded) as Record<string, unknown>,
      );
      // The one null that a caller says himself: no time to live.
      const clearsTtl = recorded.ttl_seconds === null && name === "SetCheckpointTtlRequest";
      const record = withLongIntegers(
        clearsTtl ? recorded : version === "0.4.1" ? withExpectedTokens(expected) : asked(expected),
      );
      const encoded = encodeJsonRequest(name, record as Records[typeof name], {
        generation: generationOf[version],
      });
      const ours = parseJson(encoded.body, name, { marksFloats: name === "CreateCustomLossRequest" });
      expect(withoutNulls(ours), place).toEqual(expected);
    }
  });
});

describe.each(["0.25.0", "0.38.0"] as const)("training requests of SDK %s", (version) => {
  const bodies = allExchanges(version).flatMap(({ request, scenario, step }) => {
    const bytes = bodyBytes(request);
    const isProtobuf = request.headers["content-type"] === "application/x-protobuf";
    return isProtobuf && bytes !== undefined
      ? [{ bytes, json: request.body_proto_json, place: `${scenario} ${step}` }]
      : [];
  });

  it("reads and writes every protobuf body to the same message", () => {
    expect(bodies.length).toBeGreaterThan(55);
    for (const { bytes, place } of bodies) {
      const request = readForwardBackward(bytes);
      // Newer losses and unknown names are in the recordings too; the name is not what is tested here.
      const known = { ...request.forward_backward_input, loss_fn: "cross_entropy" as const };
      const ours = fromBinary(
        ForwardBackwardRequestSchema,
        writeForwardBackward({ ...request, forward_backward_input: known }),
      );
      const recorded = fromBinary(ForwardBackwardRequestSchema, bytes);
      const expected = { ...recorded, lossFn: "cross_entropy" };
      if (version === "0.25.0") ours.lossFnConfigV2 = {};
      expect({ ...ours }, place).toEqual(expected);
      expect(request.forward_backward_input.loss_fn, place).toBe(recorded.lossFn);
    }
  });

  it("agrees with the SDK's own decoding", () => {
    for (const { bytes, json, place } of bodies) {
      if (JSON.stringify(json).includes("$elided")) continue;
      const message = fromBinary(ForwardBackwardRequestSchema, bytes);
      expect(toJson(ForwardBackwardRequestSchema, message, { useProtoFieldName: true }), place).toEqual(json);
      expect(toBinary(ForwardBackwardRequestSchema, message).length, place).toBe(bytes.length);
    }
  });
});
