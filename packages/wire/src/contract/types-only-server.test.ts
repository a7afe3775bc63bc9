import { isDeepStrictEqual } from "node:util";
import { checkRequest, schemaOf } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { parseJson } from "../json/decode-json.js";
import { encodeJsonRequest } from "../json/encode-json.js";
import { requestRecords } from "../json/request-records.js";
import { allExchanges, bodyBytes, versions } from "../testing/recorded.js";
import { requestNameOf } from "./recorded-names.js";

/** All recorded JSON requests of an SDK, parsed by `JSON.parse`; only one that keeps long integers reads those that have some. */
function recordedRequests(version: (typeof versions)[number]) {
  return allExchanges(version).flatMap(({ request, response }) => {
    const name = requestNameOf(request);
    const bytes = request.body_text === undefined ? undefined : bodyBytes(request);
    if (name === undefined || bytes === undefined) return [];
    // A placeholder stands for times, which we check; NaN is no JSON, and what the service itself refused is no good request.
    const text = Buffer.from(bytes).toString("utf8").replaceAll("<timestamp>", "2026-01-02T03:04:05Z");
    const isRefused = response !== null && [400, 422].includes(response.status);
    if (isRefused || /[[:,\s]-?(NaN|Infinity)/.test(text)) return [];
    const isExact = /\d{16}/.test(text) || name === "CreateCustomLossRequest";
    const body: unknown = isExact
      ? parseJson(Buffer.from(text), name, { marksFloats: name === "CreateCustomLossRequest" })
      : JSON.parse(text);
    return [{ name, body, text }];
  });
}

/** Puts a field that no record has, and a null beside it, into every object that is no map. */
function withNewerFields(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withNewerFields(item));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, member]): [string, unknown] => {
    const isFree = ["user_metadata", "loss_fn_config", "kwargs", "args", "event_data", "inputs"].includes(
      key,
    );
    const isUnion = ["owner", "statuses", "target", "cursor", "reason"].includes(key);
    return [key, isFree || isUnion ? member : withNewerFields(member, key === "loss_fn_inputs")];
  });
  return Object.fromEntries(
    isMap ? members : [...members, ["newer_field", { a: [1] }], ["newer_null", null]],
  );
}

const recorded = new Map(versions.map((version) => [version, recordedRequests(version)]));

describe.each(versions)("a server of @tinkex/types alone", (version) => {
  const requests = recorded.get(version) ?? [];

  // modelcontextprotocol/python-sdk#2539: Python writes null for each optional field, which a strict schema refuses.
  it(`takes every recorded request of SDK ${version}`, () => {
    expect(requests.length).toBeGreaterThan(100);
    for (const { name, body, text } of requests) {
      expect(() => checkRequest<unknown>(schemaOf(name), body, name), text.slice(0, 500)).not.toThrow();
    }
  });

  it(`reads a request of SDK ${version} the same with fields of a newer one`, () => {
    for (const { name, body: plain, text } of requests.slice(0, 150)) {
      const read = (body: unknown): unknown => checkRequest<unknown>(schemaOf(name), body, name);
      expect(read(withNewerFields(plain)), text.slice(0, 500)).toEqual(read(plain));
    }
  });
});

it("reads as the default what a client writes as the default", () => {
  let count = 0;
  for (const requests of recorded.values()) {
    // Every fourth has all of them, in a fourth of the time.
    for (const { name, body } of requests.filter((_, index) => index % 4 === 0)) {
      const read = (value: unknown): unknown => checkRequest<unknown>(schemaOf(name), value, name);
      const record = read(body);
      const written = parseJson(encodeJsonRequest(name, record as never, { generation: "0.25" }).body, name);
      const fields = Object.entries(written as object);
      const bare = fields.filter(([field, value]) => {
        const isDefault = isDeepStrictEqual(value, requestRecords[name].fields[field]?.default);
        count += isDefault ? 1 : 0;
        return !isDefault;
      });
      expect(read(Object.fromEntries(bare)), name).toEqual(read(written));
    }
  }
  expect(count).toBeGreaterThan(300);
});
