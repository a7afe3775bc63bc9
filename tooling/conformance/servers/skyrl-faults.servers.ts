import { setTimeout as delay } from "node:timers/promises";
import { SessionLostError } from "@tinkex/client";
import {
  answer,
  every,
  gamble,
  HostileServer,
  type Move,
  on,
  type Rule,
  relay,
  relayThen,
  reset,
} from "@tinkex-tooling/hostile-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openService, print } from "./open-service.js";
import { OtherServer } from "./other-server.js";
import { createModel, gapOf, OVERFIT, readSequence, type Sequence, trainPipelined } from "./overfit.js";
import { SKYRL_0_3, SKYRL_0_4 } from "./server-kinds.js";

/** Largest difference of two series of losses, of more than 100 at their beginning. */
const SERIES_TOLERANCE = 1e-4;
const STEPS = 10;
const IS_LONG = process.env.TINKEX_SERVERS_LONG !== undefined;
/** Time for which the engine stands still, in seconds: longer than a session lives without heartbeats, if there is time. */
const STOP_S = IS_LONG ? 330 : 20;

describe.each([SKYRL_0_4, SKYRL_0_3])("$title with faults", (kind) => {
  let server: OtherServer;
  let sequence: Sequence;
  /** The losses of a run that nothing disturbs. */
  let series: readonly number[];

  beforeAll(async () => {
    sequence = await readSequence();
    server = await OtherServer.start(kind, IS_LONG ? 570_000 : undefined);
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  /** Trains through a network that does these moves. @returns the distance from the undisturbed series */
  const trainThrough = async (...moves: readonly (Move | Rule)[]): Promise<number> => {
    const front = await HostileServer.play(...moves);
    onTestFinished(() => front[Symbol.asyncDispose]());
    const service = openService({ kind, url: front.url }, { timeoutMs: 240_000 });
    const losses = await trainPipelined(await createModel(service), sequence, STEPS);
    await service.close();
    print(server, `${front.requests.length} requests for ${STEPS} pairs`);
    return gapOf(losses, series);
  };

  it("trains undisturbed, to compare with", async () => {
    const service = openService(server);
    series = await trainPipelined(await createModel(service), sequence, STEPS);
    expect(series.at(-1)).toBeLessThan((series[0] ?? 0) / 5);
    await service.close();
  });

  it("trains the same when every third answer is lost", async () => {
    const lossy = every(3, relayThen(server.port, reset), relay(server.port));
    // SkyRL 0.3.0 runs again what it is sent again, so that only answers to polls may get lost.
    const moves =
      kind === SKYRL_0_3 ? [on({ path: "/retrieve_future" }, lossy), relay(server.port)] : [lossy];
    const gap = await trainThrough(...moves);
    print(server, `every third answer lost: ${gap} from the undisturbed series`);
    expect(gap).toBeLessThan(SERIES_TOLERANCE);
  });

  it.runIf(kind === SKYRL_0_4)("trains the same with faults in a fifth of the requests", async () => {
    const { port } = server;
    const faults = [
      reset,
      answer(503, { detail: "busy" }),
      answer(502, "<html>bad gateway</html>"),
      relayThen(port, reset),
      relayThen(port, answer(504, "<html>gateway timeout</html>")),
    ];
    const gap = await trainThrough(gamble(0.2, 11, faults, relay(port)));
    print(server, `20 % faults: ${gap} from the undisturbed series`);
    expect(gap).toBeLessThan(SERIES_TOLERANCE);
  });

  it(`waits for an engine that stands still for ${STOP_S} s`, async () => {
    const lines: string[] = [];
    const service = openService(server, { timeoutMs: (STOP_S + 120) * 1000, lines });
    const training = await createModel(service);
    const first = await trainPipelined(training, sequence, 2);
    server.signalEngine("SIGSTOP");
    const rest = trainPipelined(training, sequence, STEPS - 2);
    try {
      await delay(STOP_S * 1000);
    } finally {
      server.signalEngine("SIGCONT");
    }
    const gap = gapOf([...first, ...(await rest)], series);
    print(
      server,
      `engine stopped for ${STOP_S} s: ${gap} from the undisturbed series, ${lines.length} lines logged`,
    );
    expect(gap).toBeLessThan(SERIES_TOLERANCE);
    // One line a minute for the operation that is slowest.
    expect(lines.length).toBeLessThanOrEqual(Math.ceil(STOP_S / 60) * 2);
    await service.close();
  });

  it("fails what was under way when the server is killed, and goes on from the checkpoint on the one that comes back", async () => {
    const lines: string[] = [];
    const service = openService(server, { lines, timeoutMs: 240_000 });
    const training = await createModel(service);
    await trainPipelined(training, sequence, 5);
    const { path = "" } = await training.saveState("half");
    const underWay = Array.from({ length: 4 }, () => [
      training.forwardBackward([sequence.datum], "cross_entropy"),
      training.optimStep({ learning_rate: OVERFIT.learning_rate }),
    ]).flat();
    await underWay[0]?.submitted;
    server.kill();
    const startedAtMs = Date.now();
    await delay(2000);
    await server.begin();
    const settled = await Promise.allSettled(underWay);
    const errors = settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    const seconds = Math.round((Date.now() - startedAtMs) / 1000);
    print(server, `killed: ${errors.length} of ${settled.length} failed after ${seconds} s: ${errors[0]}`);
    // It was killed before it had done the last of them.
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toBeInstanceOf(SessionLostError);
    await expect(training.optimStep()).rejects.toMatchObject({ lastCheckpoint: path });
    const again = await service.createTrainingClientFromStateWithOptimizer(path);
    const losses = await trainPipelined(again, sequence, STEPS - 5);
    const gap = gapOf(losses, series.slice(5));
    print(
      server,
      `went on from the checkpoint: ${gap} from the undisturbed series, ${lines.length} lines logged`,
    );
    expect(gap).toBeLessThan(SERIES_TOLERANCE);
    await service.close();
  });
});
