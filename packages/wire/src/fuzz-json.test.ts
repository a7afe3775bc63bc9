import { TinkexError } from "@tinkex/base";
import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { requestNameOf, responseNameOf, resultNameOf } from "./contract/recorded-names.js";
import { decodeFutureResult } from "./future/decode-future.js";
import { decodeJsonRequest, decodeJsonResponse } from "./json/decode-json.js";
import { allExchanges, bodyBytes, type RecordedBody, versions } from "./testing/recorded.js";

/** As in `fuzz.test.ts`. */
const cases = Number(process.env.FUZZ_CASES ?? 5000);

/** Text to put where a value stood: what JSON can say and no record expects, and what it cannot say. */
const hostileTexts = [
  ...[
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "1e300",
    "-1e300",
    "1e999",
    "9007199254740993",
    "-18446744073709551616",
  ],
  ...["9".repeat(500), "NaN", "-Infinity", "nul", "", "{", '"', '"\\ud800"', '""', '"NaN"', '"2025-13-40"'],
  ...["[]", "[null]", "[[[]]]", "{}", '{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":null}}'],
  ...[
    '{"type":"nobody knows"}',
    '{"type":5}',
    `${"[".repeat(100)}${"]".repeat(100)}`,
    '{"error":9007199254740993}',
  ],
];

interface Body {
  /** The recorded value, parsed. */
  readonly value: unknown;
  readonly read: (bytes: Uint8Array) => unknown;
}

function jsonOf(body: RecordedBody | null): unknown {
  const bytes = body === null || body.body_base64 !== undefined ? undefined : bodyBytes(body);
  if (bytes === undefined || bytes.length > 1000) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

/** Every small JSON body that was recorded, with what reads it. */
const bodies: readonly Body[] = versions.flatMap(allExchanges).flatMap(({ request, response }) => {
  const found: Body[] = [];
  const requestName = requestNameOf(request);
  const sent = jsonOf(request);
  if (requestName !== undefined && sent !== undefined) {
    found.push({ value: sent, read: (bytes) => decodeJsonRequest(requestName, bytes) });
  }
  const resultName = resultNameOf(request.headers["x-tinker-request-type"] ?? "");
  const responseName = responseNameOf(request);
  const received = response?.status === 200 ? jsonOf(response) : undefined;
  if (received === undefined) return found;
  if (resultName !== undefined) {
    const headers = { "content-type": "application/json" };
    found.push({
      value: received,
      read: (body) => decodeFutureResult(resultName, { status: 200, headers, body }),
    });
  } else if (responseName !== undefined) {
    found.push({ value: received, read: (bytes) => decodeJsonResponse(responseName, bytes) });
  }
  return found;
});

const MARK = "@hostile@";

/** `value` with its `place`-th part, counted from the outside, replaced; or that part's key turned to `__proto__`. */
function withHostile(value: unknown, place: number, text: string, renameKey: boolean): string {
  let left = place % countParts(value);
  const walk = (part: unknown): unknown => {
    if (left-- === 0) return MARK;
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, member]) => {
        const isNext = left === 0;
        const walked = walk(member);
        return [isNext && renameKey ? "__proto__" : key, walked];
      }),
    );
  };
  return JSON.stringify(walk(value)).replace(`"${MARK}"`, () => text);
}

function countParts(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + countParts(part), 1);
}

describe("recorded JSON with one part made hostile", () => {
  beforeEach(failOnUnhandledErrors);

  it("has bodies of many records to start from, nearly all of them good", () => {
    const good = bodies.filter(({ value, read }) => {
      try {
        return read(new TextEncoder().encode(JSON.stringify(value))) !== undefined;
      } catch (error) {
        if (!TinkexError.isInstance(error)) throw error;
        return false;
      }
    });
    expect(good.length).toBeGreaterThan(1000);
    expect(good.length).toBeGreaterThan(bodies.length * 0.95);
  });

  it("gives a value or a typed error, and leaves no rejected promise", () => {
    const encoder = new TextEncoder();
    fc.assert(
      fc.property(
        fc.constantFrom(...bodies),
        fc.nat(),
        fc.constantFrom(...hostileTexts),
        fc.boolean(),
        ({ value, read }, place, text, renameKey) => {
          const bytes = encoder.encode(withHostile(value, place, text, renameKey));
          try {
            read(bytes);
          } catch (error) {
            if (!TinkexError.isInstance(error)) throw error;
          }
          expect("polluted" in {}).toBe(false);
        },
      ),
      { numRuns: cases },
    );
  }, 300_000);
});
