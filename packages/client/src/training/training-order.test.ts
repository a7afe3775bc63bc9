import { AbortedError, type Deferred, deferred, ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { datum, datums, seqIdOf } from "../testing/examples.js";
import { pauseForSockets, sleepThrough, throughSleeps, until } from "../testing/open-service.js";
import { openTraining, step } from "../testing/open-training.js";
import type { Reply, StubService } from "../testing/stub-service.js";
import { SequenceBrokenError } from "./sequence-broken-error.js";

/** The sequence ids of the model's requests, in the order of arrival. */
function sequence(stub: StubService): number[] {
  const paths = [
    "forward_backward",
    "forward",
    "optim_step",
    "save_weights",
    "save_weights_for_sampler",
    "load_weights",
  ];
  return stub.requests.filter(({ path }) => paths.includes(path)).map(seqIdOf);
}

/** Ends all steps of a list in parallel, and tells what became of each. */
function outcomes(...steps: readonly PromiseLike<unknown>[]): Promise<string[]> {
  return Promise.all(
    steps.map((step) =>
      step.then(
        () => "ok",
        (error: unknown) => (error as Error).constructor.name,
      ),
    ),
  );
}

describe("order and turns", () => {
  it("clients 15 and BR-053: submits the next operation when the last was accepted, not when it is done", async () => {
    const { stub, training } = await openTraining();
    const accepted = deferred<Reply>();
    const usual = stub.usual("forward_backward");
    stub.on("forward_backward", async (request) => {
      await accepted.promise;
      return usual(request);
    });
    stub.on("retrieve_future", () => new Promise(() => {}));
    training.forwardBackward([datum(1)], "cross_entropy");
    const second = step(training);
    await until(() => sequence(stub).length === 1, "the first request");
    await pauseForSockets();
    expect(sequence(stub)).toEqual([1]);
    accepted.resolve({});
    await second.submitted;
    expect(sequence(stub)).toEqual([1, 2]);
  });

  it("clients 16 and BR-055: sends the chunks of a call together, the first one last", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 2 });
    const gates = new Map<number, Deferred<void>>();
    const usual = stub.usual("forward_backward");
    stub.on("forward_backward", async (request) => {
      const gate = deferred<void>();
      gates.set(seqIdOf(request), gate);
      await gate.promise;
      return usual(request);
    });
    const open = async (...ids: number[]): Promise<void> => {
      await until(() => ids.every((id) => gates.has(id)), `the requests ${ids}`);
      await pauseForSockets();
      for (const id of ids) gates.get(id)?.resolve();
    };
    const backward = training.forwardBackward(datums(7), "cross_entropy");
    const forward = training.forward(datums(3), "cross_entropy");
    const optim = step(training);
    await until(() => gates.size === 3, "three requests at once");
    await pauseForSockets();
    expect([...gates.keys()].sort()).toEqual([2, 3, 4]);
    await open(4, 3, 2);
    await open(1);
    await open(6);
    await open(5);
    const result = await backward;
    await Promise.all([forward, optim]);
    expect(sequence(stub).slice(3)).toEqual([1, 6, 5, 7]);
    // Outputs come in the order of the data, whatever the order of arrival.
    expect(result.loss_fn_outputs.map(({ logprobs }) => Number(logprobs?.data[0]))).toEqual([
      -0, -1, -2, -3, -4, -5, -6,
    ]);
    expect(result.metrics["loss:sum"]).toBe(7);
  });

  it("clients 17: sends chunks one after another where the server wants that", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 2, parallel_fwdbwd_chunks: false });
    await training.forwardBackward(datums(7), "cross_entropy");
    expect(sequence(stub)).toEqual([1, 2, 3, 4]);
  });

  it("clients 18: keeps the order of the calls when a save for a sampler is among them", async () => {
    const { stub, training } = await openTraining();
    const calls: PromiseLike<unknown>[] = [];
    for (let index = 0; index < 50; index += 1) {
      calls.push(training.saveWeightsForSampler(`s${index}`), step(training));
    }
    await Promise.all(calls);
    expect(stub.requests.filter(({ json }) => json?.seq_id !== undefined).map(({ path }) => path)).toEqual(
      Array.from({ length: 100 }, (_, index) =>
        index % 2 === 0 ? "save_weights_for_sampler" : "optim_step",
      ),
    );
    expect(sequence(stub)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  it("clients 19: is broken when a part of a call was accepted and a part was not, and never hangs", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 2 });
    const usual = stub.usual("forward_backward");
    stub.on("forward_backward", (request) =>
      seqIdOf(request) === 3 ? { status: 422, body: { detail: "bad datum" } } : usual(request),
    );
    const pass = training.forwardBackward(datums(6), "cross_entropy");
    const waiting = step(training);
    await expect(pass).rejects.toMatchObject({ code: "unprocessable" });
    const error = await waiting.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SequenceBrokenError);
    expect(error).toMatchObject({ code: "sequence_broken", sequenceIds: [1, 3], cause: { status: 422 } });
    await expect(step(training)).rejects.toBe(error);
    expect(stub.trace).not.toContain("optim_step");
  });

  it("clients 20 and BR-022: uses the id of a request that was refused whole again", async () => {
    const { stub, training } = await openTraining();
    stub.script("forward_backward", { status: 422, body: { detail: "bad datum" } });
    const calls = [
      training.forwardBackward([datum(1)], "cross_entropy"),
      training.forwardBackward([datum(1)], "cross_entropy"),
      step(training),
    ];
    expect(await outcomes(...calls)).toEqual(["ApiStatusError", "ok", "ok"]);
    // The refused id is used again: a service that does not count it would wait for it.
    expect(sequence(stub)).toEqual([1, 1, 2]);
  });

  it("gives back the ids of chunks that were never sent", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 1, parallel_fwdbwd_chunks: false });
    stub.script("forward_backward", { status: 422, body: { detail: "bad datum" } });
    const calls = [training.forwardBackward(datums(3), "cross_entropy"), step(training)];
    expect(await outcomes(...calls)).toEqual(["ApiStatusError", "ok"]);
    expect(sequence(stub)).toEqual([1, 1]);
  });

  it("gives back the id of a first chunk that was never sent, when the others were refused", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 1 });
    const refused = { status: 422, body: { detail: "bad datum" } };
    stub.script("forward_backward", refused, refused);
    const calls = [training.forwardBackward(datums(3), "cross_entropy"), step(training), step(training)];
    expect(await outcomes(...calls)).toEqual(["ApiStatusError", "ok", "ok"]);
    expect(sequence(stub).slice(2)).toEqual([1, 2]);
  });

  it("is broken when a later chunk may have arrived and the first one was never sent", async () => {
    const { stub, training, clock } = await openTraining({ fwdbwd_max_chunk_len: 1 });
    const usual = stub.usual("forward_backward");
    // Settles the encoding: from now on the transport alone decides about repeats.
    await training.forwardBackward([datum(0)], "cross_entropy");
    // The answer of chunk 3 is lost, and its repeat refused: whether it waits for chunk 1 is not known.
    let third = 0;
    stub.on("forward_backward", (request) => {
      if (seqIdOf(request) !== 4)
        return seqIdOf(request) === 3 ? { status: 422, body: { detail: "bad" } } : usual(request);
      third += 1;
      return third === 1
        ? { status: 500, body: { detail: "lost" } }
        : { status: 422, body: { detail: "bad" } };
    });
    const pass = training.forwardBackward(datums(3), "cross_entropy");
    const next = step(training);
    await throughSleeps(
      clock,
      pass.catch(() => {}),
    );
    await expect(next).rejects.toMatchObject({ code: "sequence_broken", sequenceIds: [2, 3, 4] });
    expect(stub.trace).not.toContain("optim_step");
  });

  it("clients 24: sends no part of a call when another part cannot be written, and names the datum", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 2, parallel_fwdbwd_chunks: false });
    const image = {
      model_input: { chunks: [{ location: "x", format: "png" as const }] },
      loss_fn_inputs: { target_tokens: [1] },
    };
    const pass = training.forwardBackward([...datums(5), image], "cross_entropy");
    await expect(pass).rejects.toThrow("forwardBackward: data[5].model_input");
    await step(training);
    expect(sequence(stub)).toEqual([1]);
  });

  it("clients 21: an operation aborted in the queue leaves no gap", async () => {
    const { stub, training } = await openTraining();
    const gate = deferred<void>();
    const usual = stub.usual("forward_backward");
    stub.on("forward_backward", async (request) => {
      await gate.promise;
      return usual(request);
    });
    const first = training.forwardBackward([datum(1)], "cross_entropy");
    const controller = new AbortController();
    const second = training.forwardBackward([datum(2)], "cross_entropy", {
      signal: controller.signal,
    });
    const third = step(training);
    await until(() => sequence(stub).length === 1, "the first request");
    controller.abort();
    await expect(second).rejects.toBeInstanceOf(AbortedError);
    gate.resolve();
    await Promise.all([first, third]);
    expect(sequence(stub)).toEqual([1, 2]);
  });

  it("clients 21: an operation cancelled just as its turn comes is not sent, and cancel() says so", async () => {
    const { stub, training } = await openTraining();
    const first = step(training);
    const second = step(training);
    const third = step(training);
    await first.submitted;
    expect(await second.cancel()).toBe(true);
    await expect(second).rejects.toBeInstanceOf(AbortedError);
    await third;
    expect(sequence(stub)).toEqual([1, 2]);
  });

  it("BR-022: an operation aborted while it is sent rejects at once, and its request still arrives", async () => {
    const { stub, training } = await openTraining();
    const gate = deferred<void>();
    const usual = stub.usual("forward_backward");
    stub.on("forward_backward", async (request) => {
      await gate.promise;
      return usual(request);
    });
    const controller = new AbortController();
    const first = training.forwardBackward([datum(1)], "cross_entropy", {
      signal: controller.signal,
    });
    const second = step(training);
    await until(() => sequence(stub).length === 1, "the request");
    controller.abort();
    await expect(first).rejects.toThrow(/being sent; the service may still run it/);
    gate.resolve();
    await second;
    expect(sequence(stub)).toEqual([1, 2]);
  });

  it("clients 22: repeats a request under the same id and the same key, and holds the later ones back", async () => {
    const { stub, training, clock } = await openTraining();
    stub.script("optim_step", { status: 500, body: {} }, { status: 503, body: {} });
    const first = step(training);
    const second = training.saveState("x");
    for (const tries of [1, 2]) await sleepThrough(clock, tries, 3_000);
    await Promise.all([first, second]);
    expect(sequence(stub)).toEqual([1, 1, 1, 2]);
    expect(new Set(stub.seen("optim_step").map(({ headers }) => headers["x-idempotency-key"])).size).toBe(1);
  });

  it("BR-005: resends a request whose answer was lost under the same id and the same key", async () => {
    const { stub, training, clock } = await openTraining();
    stub.script("optim_step", { isReset: true });
    // Whether the connection was a kept one decides if there is a pause before the second try.
    await throughSleeps(clock, step(training));
    await step(training);
    expect(sequence(stub)).toEqual([1, 1, 2]);
    const [first, again] = stub.seen("optim_step").map(({ headers }) => headers["x-idempotency-key"]);
    expect(again).toBe(first);
  });

  it("one budget of failed connections holds for a whole queue, and later calls begin anew", async () => {
    const { stub, service, training, clock } = await openTraining();
    const { url } = stub;
    await stub.close();
    // A request that leaves on a connection before its end is known may have arrived.
    await until(() => service.stats().sockets === 0, "the end of the connections");
    const calls = [step(training), step(training), training.saveState("x"), step(training)];
    const ends = outcomes(...calls);
    expect(await throughSleeps(clock, ends)).toEqual(calls.map(() => "ConnectionError"));
    expect(clock.now()).toBeLessThan(400_000);
    await expect(calls[3]).rejects.toThrow(url);
    // A later call is tried anew.
    const pauses = clock.sleeps.length;
    step(training).catch(() => {});
    await until(() => clock.sleeps.length > pauses, "its first pause");
  });

  it.each([
    [
      "its own 500, when the other encoding is refused too",
      { status: 500, body: "Internal Server Error" },
      { status: 415, body: {} },
      500,
    ],
    [
      "a 404 with a word of the API",
      { status: 404, body: { detail: "base model not found" } },
      { status: 415, body: {} },
      404,
    ],
    [
      "the refusal of the datum in the encoding that is understood",
      { status: 415, body: {} },
      { status: 422, body: { detail: "bad" } },
      422,
    ],
  ])("fails with the error that tells more: %s", async (_, first, second, status) => {
    const { stub, training } = await openTraining();
    stub.script("forward_backward", first, second);
    const error = await training
      .forwardBackward([datum(1)], "cross_entropy")
      .catch((cause: unknown) => cause);
    const shown = error instanceof Error && "status" in error ? error : (error as Error).cause;
    expect(shown).toMatchObject({ status });
  });

  it.each([429, 402])(
    "an operation aborted while it is answered %i is never sent again, and holds nobody up",
    async (status) => {
      const { stub, training, clock } = await openTraining();
      stub.on("forward_backward", () => ({ status, body: { detail: "later" } }));
      const controller = new AbortController();
      const first = training.forwardBackward([datum(1)], "cross_entropy", { signal: controller.signal });
      const behind = step(training);
      await until(() => clock.sleeping > 0, "a pause");
      controller.abort();
      await expect(first).rejects.toBeInstanceOf(AbortedError);
      await behind;
      await clock.advance(600_000);
      await pauseForSockets();
      expect(stub.seen("forward_backward")).toHaveLength(1);
      expect(sequence(stub)).toEqual([1, 1]);
    },
  );

  it.each([false, true])(
    "metrics that cannot be joined are left out and told of, or an error (strict: %s)",
    async (strictMetrics) => {
      const { stub, training, logger } = await openTraining({ fwdbwd_max_chunk_len: 1 });
      const usual = stub.usual("forward_backward");
      stub.on("forward_backward", (request) => {
        if (seqIdOf(request) > 2) return usual(request);
        const outputs = [{ logprobs: { data: Float32Array.of(-1, -1), dtype: "float32", shape: [2] } }];
        const metrics = seqIdOf(request) === 1 ? { "a:sum": 1, "b:sum": 2 } : { "a:sum": 3, "c:odd": 1 };
        return stub.accept("ForwardBackwardOutput", {
          loss_fn_output_type: "ArrayRecord",
          loss_fn_outputs: outputs,
          metrics,
        });
      });
      const pass = training.forwardBackward(datums(2), "cross_entropy", { strictMetrics });
      const message = "metrics of a call's requests that cannot be joined: b:sum, c:odd";
      if (strictMetrics) await expect(pass).rejects.toThrow(message);
      else {
        expect((await pass).metrics).toEqual({ "a:sum": 4 });
        expect(logger.debugLines).toContain(message);
      }
    },
  );

  it("clients 23: numbers the operations of each client on their own", async () => {
    const { stub, training, service } = await openTraining();
    const other = await service.createLoraTrainingClient({ base_model: "b" });
    await Promise.all([step(training), step(other), step(training)]);
    const ids = stub.seen("optim_step").map(({ json }) => [json?.model_id, json?.seq_id]);
    expect(ids.filter(([model]) => model === "S:train:0")).toEqual([
      ["S:train:0", 1],
      ["S:train:0", 2],
    ]);
    expect(ids.filter(([model]) => model === "S:train:1")).toEqual([["S:train:1", 1]]);
  });

  it("clients 24: refuses bad data at the call, with no id used", async () => {
    const { stub, training } = await openTraining();
    expect(() => training.forwardBackward([], "cross_entropy")).toThrow("no data provided");
    const bad = { model_input: [1], loss_fn_inputs: { target_tokens: [1.5] } };
    expect(() => training.forwardBackward([datum(1), bad], "cross_entropy")).toThrow(
      "data[1].loss_fn_inputs.target_tokens[0]: expected an integer, got 1.5",
    );
    expect(() =>
      training.forwardBackward([{ ...datum(1), model_input: [2 ** 40] }], "cross_entropy"),
    ).toThrow(ValidationError);
    expect(() => training.forwardBackward([datum(1)], "cross" as "ppo")).toThrow(/cross_entropy/);
    expect(() => training.forwardBackward([datum(1)], "ppo", { timeoutMs: -1 })).toThrow(/timeoutMs/);
    await step(training);
    expect(sequence(stub)).toEqual([1]);
  });

  it("gives back the id of a request that cannot be written", async () => {
    const { stub, training } = await openTraining();
    const image = {
      model_input: { chunks: [{ location: "x", format: "png" as const }] },
      loss_fn_inputs: { target_tokens: [1] },
    };
    const user_metadata = { key: 1 as unknown as string };
    const calls = [
      training.forwardBackward([image], "cross_entropy"),
      training.saveState("x", { user_metadata }),
      step(training),
    ];
    expect(await outcomes(...calls)).toEqual(["ValidationError", "ValidationError", "ok"]);
    expect(sequence(stub)).toEqual([1]);
  });

  it("clients 25: awaits results in any order", async () => {
    const { stub, training } = await openTraining();
    const gate = deferred<void>();
    const usual = stub.usual("retrieve_future");
    stub.on("retrieve_future", async (request) => {
      if (request.headers["x-tinker-request-type"] === "ForwardBackward") await gate.promise;
      return usual(request);
    });
    const first = training.forwardBackward([datum(1)], "cross_entropy");
    await step(training);
    gate.resolve();
    await first;
  });
});
