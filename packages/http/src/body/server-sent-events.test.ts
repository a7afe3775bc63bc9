import { Readable } from "node:stream";
import { ResponseError } from "@tinkex/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ServerSentEvent, serverSentEvents } from "./server-sent-events.js";

async function read(...chunks: (string | Uint8Array)[]): Promise<ServerSentEvent[]> {
  const bytes = chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
  const events: ServerSentEvent[] = [];
  for await (const event of serverSentEvents(bytes)) events.push(event);
  return events;
}
const data = async (...chunks: (string | Uint8Array)[]): Promise<string[]> =>
  (await read(...chunks)).map((event) => event.data);

describe("serverSentEvents", () => {
  it("transport 80: line ends of every kind, also split between pieces", async () => {
    expect(await data("data: a\r", "\ndata: b\r", "\n\r", "\ndata: c\n\n")).toEqual(["a\nb", "c"]);
    expect(await data("data: a\r\n\r", "\ndata: c\r\n\r\n")).toEqual(["a", "c"]);
    expect(await data("data: a\r\rdata: ", "c\r", "\r")).toEqual(["a", "c"]);
    expect(await data("data: a\n\r", "\n")).toEqual(["a"]);
  });

  it("transport 81: lines of data are joined, and only CR and LF end a line", async () => {
    const [json = ""] = await data('data: {\ndata: "foo":\ndata: \ndata:\ndata: true}\n\n');
    expect(JSON.parse(json)).toEqual({ foo: true });
    expect(await data("data: a\u2028b\u000bc\n\n")).toEqual(["a\u2028b\u000bc"]);
    const snowman = new TextEncoder().encode("data: ☃\n\n");
    expect(await data(snowman.slice(0, 7), snowman.slice(7, 8), snowman.slice(8))).toEqual(["☃"]);
  });

  it("transport 82: comments, fields without a colon, spaces, unknown names, an end that is missing", async () => {
    expect(await data(": hello\n\n")).toEqual([]);
    expect(await data("data\n\n")).toEqual([""]);
    expect(await data("data:  a\n\n")).toEqual([" a"]);
    expect(await data("Data: a\nfoo: bar\n\n")).toEqual([]);
    expect(await data("data: a\n\ndata: b\n")).toEqual(["a"]);
    expect(await data("data: a\n\ndata: b")).toEqual(["a"]);
  });

  it("transport 83: ids stay, blank lines are no events, pauses are digits", async () => {
    const events = await read(
      "id: 7\nevent: e\ndata: a\n\n\n\nid: 8\u0000\nretry: 1500\ndata: b\n\nretry: +5\nretry: 1.5\nid\ndata: c\n\n",
    );
    expect(events).toEqual([
      { event: "e", data: "a", id: "7", retryMs: undefined },
      { event: "message", data: "b", id: "7", retryMs: 1500 },
      { event: "message", data: "c", id: "", retryMs: 1500 },
    ]);
  });

  it("transport 84: a byte order mark and bytes that are no text do no harm", async () => {
    expect(await data("\ufeffdata: a\n\n")).toEqual(["a"]);
    expect(await data(Uint8Array.of(...new TextEncoder().encode("data: "), 0xff, 10, 10))).toEqual([
      "\ufffd",
    ]);
    expect(await data("event: ping\n\n")).toEqual([]);
    const pings = serverSentEvents([new TextEncoder().encode("id: 7\n\nevent: ping\n\n\n")], { pings: true });
    expect(await Readable.from(pings).toArray()).toEqual([
      { event: "ping", data: "", id: "7", retryMs: undefined },
    ]);
  });

  it("transport 85: leaving the loop lets the stream go", async () => {
    const stream = Readable.from([Buffer.from("data: a\n\n"), Buffer.from("data: b\n\n")]);
    for await (const event of serverSentEvents(stream)) {
      expect(event.data).toBe("a");
      break;
    }
    expect(stream.destroyed).toBe(true);
  });

  it("an event without an end is cut off", async () => {
    const endless = serverSentEvents([new TextEncoder().encode(`data: ${"x".repeat(100)}`)], {
      maxLength: 50,
    });
    await expect(endless.next()).rejects.toThrow(ResponseError);
  });

  it("comments are not kept, however many come before an event", async () => {
    const stream = serverSentEvents([new TextEncoder().encode(`${": ping\n".repeat(50)}data: a\n\n`)], {
      maxLength: 50,
    });
    expect(await stream.next()).toMatchObject({ value: { data: "a" } });
  });

  it("gives the same events wherever the pieces are cut", async () => {
    const whole = new TextEncoder().encode(
      "id: 1\r\ndata: a☃\r\ndata: b\r\n\r\n: c\n\ndata: d\r\revent: e\ndata:f\n\n",
    );
    const wanted = await read(whole);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 8 }), async (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const pieces = edges.slice(1).map((end, i) => whole.slice(edges[i], end));
        expect(await read(...pieces)).toEqual(wanted);
      }),
    );
  });

  it("reads a long line in pieces of a byte in about the memory of the line", async () => {
    const piece = new TextEncoder().encode("x");
    function* pieces(): Generator<Uint8Array> {
      yield new TextEncoder().encode("data: ");
      for (let count = 0; count < 2_000_000; count += 1) yield piece;
      yield new TextEncoder().encode("\n\n");
    }
    const before = process.memoryUsage().heapUsed;
    let most = 0;
    function* watched(): Generator<Uint8Array> {
      let count = 0;
      for (const each of pieces()) {
        count += 1;
        if (count % 100_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed - before);
        yield each;
      }
    }
    const { value } = await serverSentEvents(watched()).next();
    expect(value).toMatchObject({ data: "x".repeat(2_000_000) });
    expect(most).toBeLessThan(64 * 2 ** 20);
  });

  it("a pause that is no number of milliseconds is none", async () => {
    expect(await read("retry: 5\nretry: ", "9".repeat(400), "\ndata: a\n\n")).toMatchObject([{ retryMs: 5 }]);
  });
});
