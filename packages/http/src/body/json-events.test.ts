import { Readable } from "node:stream";
import { inspect } from "node:util";
import { ResponseError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { EventStreamError, type JsonEvent, jsonEvents } from "./json-events.js";

async function read(text: string, secrets?: readonly string[]): Promise<JsonEvent[]> {
  return Readable.from(jsonEvents([new TextEncoder().encode(text)], { secrets })).toArray();
}

describe("jsonEvents", () => {
  it("transport 84: gives parsed data and ends at [DONE], whatever comes after it", async () => {
    expect(await read('id: 1\ndata: {"a":1}\n\nevent: ping\n\ndata: [DONE]\n\ndata: not JSON\n\n')).toEqual([
      { event: "message", data: { a: 1 }, id: "1", retryMs: undefined },
    ]);
  });

  it("transport 84: an event named error is an error with its data, and its message keeps secrets", async () => {
    const reading = read('id: 4\ndata: 1\n\nevent: error\ndata: {"detail":"tml-canary is over quota"}\n\n', [
      "tml-canary",
    ]);
    await expect(reading).rejects.toBeInstanceOf(EventStreamError);
    await expect(reading).rejects.toMatchObject({
      code: "request_failed",
      message: "the stream ended with an error: [redacted] is over quota",
      lastEventId: "4",
    });
    await expect(read("event: error\ndata: plain words\n\n")).rejects.toMatchObject({ data: "plain words" });
  });

  it("data that is no JSON is named by its place and not quoted", async () => {
    const reading = read("id: 9\ndata: canary\n\n");
    await expect(reading).rejects.toBeInstanceOf(ResponseError);
    await expect(reading).rejects.toThrow(/"message" after id "9" is no JSON \(6 characters\)$/);
  });

  it("transport 85: leaving the loop, and [DONE], let the stream go", async () => {
    for (const text of ["data: 1\n\n", "data: [DONE]\n\n"]) {
      const stream = Readable.from([Buffer.from(text), Buffer.from("data: 2\n\n")]);
      for await (const { data } of jsonEvents(stream)) {
        expect(data).toBe(1);
        break;
      }
      expect(stream.destroyed).toBe(true);
    }
  });

  it.each([
    ["lists", `${"[".repeat(200_000)}${"]".repeat(200_000)}`],
    ["objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["lists that do not end", "[".repeat(200_000)],
  ])("data of deeply nested %s is an error that names its place", async (_, deep) => {
    const reading = read(`id: 9\nevent: metrics\ndata: ${deep}\n\n`);
    await expect(reading).rejects.toBeInstanceOf(ResponseError);
    await expect(reading).rejects.toThrow(/event "metrics" after id "9" is not read: more than 64 levels$/);
    const failing = read(`event: error\ndata: {"detail":${deep}}\n\n`);
    await expect(failing).rejects.toBeInstanceOf(EventStreamError);
  });

  it("data that would take many times its memory is refused", async () => {
    const reading = read(`data: [${"{},".repeat(4_000_000)}{}]\n\n`);
    await expect(reading).rejects.toThrow(/would take more than \d+ bytes of memory$/);
  });

  it("neither a key nor a control character is in the messages, however it is written", async () => {
    const key = "tml-canary-key";
    for (const stream of [
      `id: \u001b[2J${key}\nevent: ${key}\u202e\ndata: no JSON\n\n`,
      `id: ${key}\nevent: error\ndata: {"detail":"\\u0074ml-canary-key \\u001b[31m"}\n\n`,
    ]) {
      const error: unknown = await read(stream, [key]).catch((thrown: unknown) => thrown);
      const shown = inspect(error, { depth: 10, showHidden: true });
      expect(shown).not.toContain(key);
      expect(error).toMatchObject({ message: expect.stringMatching(/\[redacted\]/) });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
      expect(error).toMatchObject({ message: expect.not.stringMatching(/[\u001b\u009b\u202e]/) });
    }
  });
});
