import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { SessionTimeline, type TimelineSpan } from "../registries/session-timeline.js";
import { passBody } from "../testing/test-client.js";
import { TestServer } from "../testing/test-server.js";

interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

async function traceOf(server: TestServer, session: string): Promise<readonly TraceEvent[]> {
  const { status, body } = await server.get(`/sessions/${session}/trace_export`);
  expect([status, body.status]).toEqual([200, "ready"]);
  const file = (await (await fetch(String(body.url))).json()) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  return file.traceEvents;
}

describe("the trace of a session", () => {
  it("clients 84: shows what its models did one after another, how long each waited, and its samples beside them", async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const server = await TestServer.start({ clock });
    const model = await server.createModel();
    const [session = ""] = model.split(":");
    const others = await server.createModel();
    await server.run("/optim_step", { model_id: others, seq_id: 1 });
    const open = server.engine.hold();
    const step = await server.submit("/optim_step", { model_id: model, seq_id: 2 });
    await clock.advance(250);
    const pass = await server.submit("/forward_backward", passBody(model, 1));
    await clock.advance(1_000);
    open();
    await server.retrieve(pass);
    await server.retrieve(step);
    expect(await server.run("/save_weights", { model_id: model, path: "a/b", seq_id: 3 })).toMatchObject({
      error: expect.any(String),
    });
    const made = { session_id: session, sampling_session_seq_id: 0, base_model: server.baseModel };
    const { sampling_session_id } = (await server.post("/create_sampling_session", made)).body;
    await server.run("/asample", {
      sampling_session_id,
      seq_id: 0,
      prompt: { chunks: [{ tokens: [1], type: "encoded_text" }] },
      sampling_params: { max_tokens: 1 },
    });
    const events = await traceOf(server, session);
    const tracks = events
      .filter(({ name }) => name === "thread_name")
      .map(({ tid, args }) => [tid, args?.name]);
    expect(tracks).toEqual([
      [0, "samples"],
      [1, model],
    ]);
    const microseconds = (ms: number) => (clock.now() - 1_250 + ms) * 1000;
    const spans = events
      .filter(({ ph }) => ph === "X")
      .map(({ name, ts, dur, args }) => ({ name, ts, dur, ...args }));
    expect(spans).toEqual([
      { name: "forward_backward", ts: microseconds(250), dur: 1_000_000, waited_ms: 0, failed: false },
      { name: "optim_step", ts: microseconds(1_250), dur: 0, waited_ms: 1_250, failed: false },
      { name: "save_weights", ts: microseconds(1_250), dur: 0, waited_ms: 0, failed: true },
    ]);
    const samples = events.filter(({ ph }) => ph === "b" || ph === "e");
    expect(samples.map(({ ph, name }) => `${ph} ${name}`)).toEqual(["b asample", "e asample"]);
    expect(samples[0]?.id).toBe(samples[1]?.id);
  });

  it("is there before anything was done, for an hour, and for no session that there is not", async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const server = await TestServer.start({ clock });
    const session = await server.createSession();
    expect((await traceOf(server, session)).map(({ ph }) => ph)).toEqual(["M", "M"]);
    expect(await server.get("/sessions/none/trace_export")).toMatchObject({ status: 404 });
    const { body } = await server.get(`/sessions/${session}/trace_export`);
    const other = String(body.url).replace(session, await server.createSession());
    expect((await fetch(other)).status).toBe(403);
    await clock.advance(3_600_000);
    expect((await fetch(String(body.url))).status).toBe(403);
  });
});

describe("a timeline", () => {
  it("keeps the last spans, and forgets the oldest of whatever session", () => {
    const timeline = new SessionTimeline();
    const span = (index: number): TimelineSpan => ({
      sessionId: index % 2 === 0 ? "even" : "odd",
      name: String(index),
      submittedAtMs: 0,
      startedAtMs: 0,
      endedAtMs: 0,
      hasFailed: false,
    });
    for (let index = 0; index < 32_768 + 5; index += 1) timeline.add(span(index));
    const [even, odd] = [timeline.of("even"), timeline.of("odd")];
    expect(even.length + odd.length).toBe(32_768);
    expect([even[0]?.name, odd[0]?.name, even.at(-1)?.name]).toEqual(["6", "5", "32772"]);
    expect(timeline.of("none")).toEqual([]);
  });
});
