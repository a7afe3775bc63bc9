import { TinkexError } from "@tinkex/base";
import type { Records } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { decodeFutureResult, type FutureResultName } from "../future/decode-future.js";
import { encodeFutureOutcome } from "../future/encode-future.js";
import { decodeJsonResponse } from "../json/decode-json.js";
import {
  allExchanges,
  bodyBytes,
  type Exchange,
  scenariosOf,
  stepsOf,
  type Version,
  versions,
} from "../testing/recorded.js";
import { responseNameOf, resultNameOf } from "./recorded-names.js";

interface Decoded {
  readonly exchange: Exchange;
  readonly value?: unknown;
  readonly error?: unknown;
}

function decode(exchange: Exchange): Decoded | undefined {
  const { request, response } = exchange;
  const body = response === null ? undefined : bodyBytes(response);
  if (response === null || body === undefined) return undefined;
  const expected = request.headers["x-tinker-request-type"];
  const isSuccess = response.status >= 200 && response.status < 300;
  try {
    if (expected !== undefined) {
      if (!isSuccess && response.status !== 408) return undefined;
      const name = resultNameOf(expected);
      if (name === undefined) throw new Error(`no record for ${expected}`);
      return { exchange, value: decodeFutureResult(name, { ...response, body }) };
    }
    const name = responseNameOf(request);
    // Answers whose body has no meaning: finish, project, publish, cancel, deletions.
    if (!isSuccess || name === undefined) return undefined;
    return { exchange, value: decodeJsonResponse(name, body) };
  } catch (error) {
    return { exchange, error };
  }
}

function allDecoded(version: Version): readonly Decoded[] {
  return allExchanges(version).flatMap((exchange) => decode(exchange) ?? []);
}

/** Plain numbers, no nulls and no `type`; what the client adds is left out. */
function plain(value: unknown, round: (number: number) => number): unknown {
  if (typeof value === "number" || typeof value === "bigint") return round(Number(value));
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    return Array.from(value as ArrayLike<unknown>, (item) => plain(item, round));
  }
  if (typeof value !== "object" || value === null) return value;
  const { $float, $int } = value as { $float?: string; $int?: string };
  if ($float !== undefined || $int !== undefined) return round(Number($float ?? $int));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => member !== null && !["type", "sequence_id"].includes(key))
      .map(([key, member]) => [key, plain(member, round)]),
  );
}

/** What the recordings say of the answers that no client can use. */
const brokenAnswers = [
  "truncated body, then ok",
  "200 with invalid JSON",
  "200 HTML",
  "200 without content type",
  "200 missing fields",
  "200 wrong type",
  "200 JSON array",
  "200 with a wrong type in the result",
  "request_id as a number",
];

/** Minus zero is zero in JSON. */
const asIs = (number: number): number => (number === 0 ? 0 : number);

/** The calls whose result is one decoded answer. */
const directCalls = new Set([
  "training.forwardBackward",
  "training.forward",
  "training.optimStep",
  "training.getInfo",
  "training.saveState",
  "training.loadState",
  "sampling.sample",
  "service.getServerCapabilities",
]);

describe.each(versions)("answers to SDK %s", (version) => {
  it("decode, but for those that were broken on purpose", () => {
    const decoded = allDecoded(version);
    expect(decoded.length).toBeGreaterThan(400);
    const broken = decoded.filter(({ error }) => error !== undefined);
    for (const { error } of broken) expect(TinkexError.isInstance(error)).toBe(true);
    const notes = broken.map(({ exchange }) => stepsOf(version, exchange.scenario).get(exchange.step)?.note);
    expect(new Set(notes)).toEqual(
      new Set(version === "0.4.1" ? brokenAnswers : [...brokenAnswers, "broken protobuf"]),
    );
  });

  it("give the recorded results", () => {
    // 0.4.1 read JSON doubles; log-probabilities are float32 here, whichever wire they came by.
    const round = version === "0.4.1" ? Math.fround : asIs;
    const decoded = allDecoded(version);
    let compared = 0;
    for (const scenario of scenariosOf(version)) {
      for (const step of stepsOf(version, scenario).values()) {
        if (!directCalls.has(step.call) || step.result === undefined || step.group !== undefined) continue;
        const answers = decoded.filter(
          ({ exchange }) => exchange.scenario === scenario && exchange.step === step.id,
        );
        const results = answers.flatMap(({ value }) => {
          const outcome = value as { state?: string; result?: unknown } | undefined;
          if (outcome?.state !== undefined) return outcome.state === "complete" ? [outcome.result] : [];
          const isFuture = typeof value === "object" && value !== null && "request_id" in value;
          return value === undefined || isFuture ? [] : [value];
        });
        // Calls cut into chunks have several, which the client combines.
        if (results.length !== 1) continue;
        const expected = withoutRevision(plain(step.result, round) as Record<string, unknown>);
        const actual = plain(results[0], round);
        expect(actual, `${scenario} ${step.id}`).toMatchObject(expected);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(version === "0.4.1" ? 70 : 95);
  });

  it("are written back to the same results", () => {
    for (const { exchange, value } of allDecoded(version)) {
      const name = resultNameOf(exchange.request.headers["x-tinker-request-type"] ?? "");
      const outcome = value as { state: "complete"; result: Records[FutureResultName] } | undefined;
      if (name === undefined || outcome?.state !== "complete") continue;
      for (const accept of ["application/json", "application/x-protobuf"]) {
        const encoded = encodeFutureOutcome(name, outcome, { accept, requestId: "r" });
        const headers = { "content-type": encoded.contentType };
        const again = decodeFutureResult(name, { status: 200, headers, body: encoded.body });
        const place = `${exchange.scenario} ${exchange.step} ${accept}`;
        expect(plain(again, asIs), place).toEqual(plain(outcome, asIs));
      }
    }
  });
});

/** 0.4.1 kept the revision behind the name of a tokenizer; later SDKs, and we, cut it off. */
function withoutRevision(result: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(result.model_data)?.replace(/:rev1"/, '"');
  return text === undefined ? result : { ...result, model_data: JSON.parse(text) as unknown };
}
