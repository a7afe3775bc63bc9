import { TinkexError } from "@tinkex/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DecodeError } from "./decode-error.js";
import { decodeFutureResult, type FutureResultName } from "./future/decode-future.js";
import { decodeJsonRequest } from "./json/decode-json.js";
import { type RequestName, requestRecords } from "./json/request-records.js";
import { readSampleResponse } from "./sampling/read-sample-response.js";
import { allExchanges, bodyBytes } from "./testing/recorded.js";
import { decodeForwardBackwardRequest } from "./training/decode-forward-backward.js";
import { readForwardBackward } from "./training/read-forward-backward.js";
import { readForwardBackwardOutput } from "./training/read-forward-backward-output.js";

/** Cases per property: many in the long run (`FUZZ_CASES=100000`), a sample of them in every run. */
const cases = Number(process.env.FUZZ_CASES ?? 5000);

/** Recorded bodies to start from, the small ones: mutations of large ones seldom hit anything but numbers. */
const recorded = allExchanges("0.38.0").flatMap(({ request, response }) => {
  const bodies = [request, ...(response === null ? [] : [response])];
  return bodies.flatMap((body) => {
    const bytes = bodyBytes(body);
    const isProtobuf = body.body_base64 !== undefined;
    return bytes === undefined || bytes.length > 1000 ? [] : [{ bytes, isProtobuf }];
  });
});
const protobufBodies = recorded.filter(({ isProtobuf }) => isProtobuf).map(({ bytes }) => bytes);
const jsonBodies = recorded.filter(({ isProtobuf }) => !isProtobuf).map(({ bytes }) => bytes);

type Edit = readonly [place: number, remove: number, insert: Uint8Array];

const edits = fc.array(
  fc.tuple(fc.nat(1000), fc.nat(4), fc.uint8Array({ maxLength: 4 })) satisfies fc.Arbitrary<Edit>,
  { minLength: 1, maxLength: 4 },
);

function mutate(bytes: Uint8Array, changes: readonly Edit[]): Uint8Array {
  return changes.reduce((current, [place, remove, insert]) => {
    const at = place % (current.length + 1);
    return Uint8Array.from([...current.slice(0, at), ...insert, ...current.slice(at + remove)]);
  }, bytes);
}

function mutated(bodies: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const changed = fc
    .tuple(fc.constantFrom(...bodies), edits)
    .map(([bytes, changes]) => mutate(bytes, changes));
  return fc.oneof(
    { weight: 4, arbitrary: changed },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  );
}

/** Runs a reader on hostile bytes: it must give a value or one of our errors. */
function survives(read: () => unknown, bytes: Uint8Array): void {
  let value: unknown;
  try {
    value = read();
  } catch (error) {
    if (!TinkexError.isInstance(error)) throw error;
    if (error instanceof DecodeError) {
      expect(error.offset).toBeLessThanOrEqual(bytes.length);
      expect(error.messageType).not.toBe("");
    }
    return;
  }
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  expectUnpolluted(value);
}

/** Every object is a plain one: no key has become its prototype. */
function expectUnpolluted(value: unknown): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if (Array.isArray(value)) {
    value.forEach(expectUnpolluted);
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new Error("an object has a foreign prototype");
  Object.values(value).forEach(expectUnpolluted);
}

const protobufReaders = { readForwardBackward, readForwardBackwardOutput, readSampleResponse };

describe("hostile bytes", () => {
  it("has bodies of both kinds to start from", () => {
    expect(protobufBodies.length).toBeGreaterThan(100);
    expect(jsonBodies.length).toBeGreaterThan(500);
  });

  it.each(Object.entries(protobufReaders))(
    "protobuf: %s gives a value or a DecodeError",
    (_, read) => {
      fc.assert(
        fc.property(mutated(protobufBodies), (bytes) => survives(() => read(bytes), bytes)),
        { numRuns: cases },
      );
    },
    300_000,
  );

  it("JSON answers give a value or a typed error", () => {
    const names: FutureResultName[] = ["SampleResponse", "ForwardBackwardOutput", "OptimStepResponse"];
    const headers = { "content-type": "application/json" };
    fc.assert(
      fc.property(mutated(jsonBodies), fc.constantFrom(...names), (body, name) =>
        survives(() => decodeFutureResult(name, { status: 200, headers, body }), body),
      ),
      { numRuns: cases },
    );
  }, 300_000);

  it("JSON requests give a value or a typed error", () => {
    const names = Object.keys(requestRecords) as RequestName[];
    fc.assert(
      fc.property(mutated(jsonBodies), fc.constantFrom(...names), (body, name) => {
        survives(() => decodeJsonRequest(name, body), body);
        survives(() => decodeForwardBackwardRequest("application/json", body), body);
      }),
      { numRuns: cases },
    );
  }, 300_000);

  it.each([
    '{"__proto__":{"polluted":1}}',
    '{"metrics":{"__proto__":{"polluted":1}}}',
    '{"\\u005f_proto__":{"polluted":1}}',
  ])("%s pollutes nothing", (text) => {
    const body = new TextEncoder().encode(text);
    const names = Object.keys(requestRecords) as RequestName[];
    for (const name of names) survives(() => decodeJsonRequest(name, body), body);
    const headers = { "content-type": "application/json" };
    survives(() => decodeFutureResult("OptimStepResponse", { status: 200, headers, body }), body);
    expect("polluted" in {}).toBe(false);
  });

  it("samples without content are not read by the million", () => {
    const body = new Uint8Array(4_000_000).fill(0);
    for (let place = 0; place < body.length; place += 2) body[place] = 0x0a;
    expect(() => readSampleResponse(body)).toThrow("more than 65536 samples");
    expect(readSampleResponse(body.subarray(0, 2000)).sequences).toHaveLength(1000);
  });

  it("datums without content are not read by the million", () => {
    const body = new Uint8Array(4_000_000).fill(0);
    for (let place = 0; place < body.length; place += 2) body[place] = 0x1a;
    expect(() => readForwardBackward(body)).toThrow("more than 65536 datums");
    expect(readForwardBackward(body.subarray(0, 2000)).forward_backward_input.data).toHaveLength(1000);
  });

  it("a claimed length costs nothing", () => {
    // Two gigabytes of tokens, a matrix of 2^32 × 2^32 cells, a shape of 2^40 elements, 2^31 datums.
    const claims = [
      "0a0712ffffffff0f",
      "1a0c18ffffffff0f20ffffffff0f",
      "2a0a1801220680808080802",
      "12061 8ffffffff07",
    ];
    for (const claim of claims) {
      const digits = claim.replace(/\s/g, "");
      const body = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
      for (const read of Object.values(protobufReaders)) {
        const before = process.memoryUsage().arrayBuffers;
        survives(() => read(body), body);
        expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
      }
    }
  });
});
