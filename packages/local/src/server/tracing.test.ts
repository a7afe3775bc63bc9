import type { ServedOperation, ServedPhase } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import type { PassRequest, PassResult } from "../engine/engine.js";
import { ScriptedEngine } from "../testing/scripted-engine.js";
import { passBody } from "../testing/test-client.js";
import { TestServer, type TestServerOptions } from "../testing/test-server.js";
import { startLocalServer } from "./start-local-server.js";

const PARENT = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;

/** A server that is traced, a clock that the test moves, and what the tracer was told. */
async function traced(options: TestServerOptions = {}) {
  const recorded: ServedOperation[] = [];
  const clock = new FakeClock({ startMs: 1_800_000_000_000 });
  const server = await TestServer.start({
    clock,
    tracer: { record: (operation) => void recorded.push(operation) },
    ...options,
  });
  const modelId = await server.createModel();
  return { server, clock, recorded, modelId };
}

const lengths = (phases: readonly ServedPhase[]): unknown[] =>
  phases.map(({ name, startedAtMs, endedAtMs }) => [name, endedAtMs - startedAtMs]);

describe("a traced server", () => {
  it("tells of each operation with the headers of its request, and how long it waited and ran", async () => {
    const { server, clock, recorded, modelId } = await traced();
    recorded.length = 0;
    const open = server.engine.hold();
    const headers = { traceparent: PARENT, tracestate: "vendor=1" };
    const ids: string[] = [];
    for (const [path, body] of [
      ["/forward_backward", passBody(modelId, 1)],
      ["/optim_step", { model_id: modelId, seq_id: 2, adam_params: { learning_rate: 0.1 } }],
    ] as const) {
      const answer = await server.post(path, body, headers);
      ids.push(String(answer.body.request_id));
    }
    await clock.advance(40);
    open();
    for (const id of ids) await server.retrieve(id);
    expect(recorded).toMatchObject([
      { endpoint: "forward_backward", traceparent: PARENT, tracestate: "vendor=1", errorType: undefined },
      { endpoint: "optim_step", traceparent: PARENT },
    ]);
    expect(recorded.map(({ phases }) => lengths(phases))).toEqual([
      [
        ["queue", 0],
        ["run", 40],
      ],
      [
        ["queue", 40],
        ["run", 0],
      ],
    ]);
  });

  it("tells for how long a pass waited until its graph was compiled", async () => {
    class CompilingEngine extends ScriptedEngine {
      override async pass(request: PassRequest): Promise<PassResult> {
        return { ...(await super.pass(request)), compileMs: 30 };
      }
    }
    const engine = new CompilingEngine();
    const { server, clock, recorded, modelId } = await traced({ engine });
    const open = engine.hold();
    const id = await server.submit("/forward_backward", passBody(modelId, 1));
    await clock.advance(50);
    open();
    await server.retrieve(id);
    expect(lengths(recorded.at(-1)?.phases ?? [])).toEqual([
      ["queue", 0],
      ["compile", 30],
      ["run", 20],
    ]);
  });

  it("tells of a failure by its origin, of samples and new models too, and once of what came twice", async () => {
    const { server, recorded, modelId } = await traced();
    expect(recorded).toMatchObject([
      { endpoint: "create_model", traceparent: undefined, phases: [{ name: "run" }] },
    ]);
    const body = { ...passBody(modelId, 1), forward_backward_input: { data: [], loss_fn: "cross_entropy" } };
    await server.run("/forward_backward", body);
    await server.run("/forward_backward", body);
    await server.run("/asample", {
      base_model: "test/one",
      prompt: { chunks: [{ tokens: [1] }] },
      num_samples: 1,
    });
    expect(recorded.slice(1)).toMatchObject([
      { endpoint: "forward_backward", errorType: "user" },
      { endpoint: "asample", errorType: undefined },
    ]);
  });

  it("does the same work for a tracer that throws", async () => {
    const { server, modelId } = await traced({
      tracer: {
        record: () => {
          throw new Error("full");
        },
      },
    });
    expect(await server.run("/forward_backward", passBody(modelId, 1))).toHaveProperty("metrics");
  });

  it.each([
    ["x", "tracer must be an object, e.g. serverTracer() of @tinkex/telemetry/otel, got a string"],
    [{}, "tracer.record must be a function, got undefined"],
  ])("refuses a tracer that is none: %j", async (tracer, message) => {
    await expect(startLocalServer({ tracer: tracer as never })).rejects.toThrow(message);
  });
});
