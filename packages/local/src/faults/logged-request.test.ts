import { describe, expect, it } from "vitest";
import { KnownFutures } from "./known-futures.js";
import { type LoggedRequest, RequestLog } from "./logged-request.js";

const head: Omit<LoggedRequest, "number"> = {
  endpoint: "optim_step",
  method: "POST",
  path: "/api/v1/optim_step",
  sessionId: undefined,
  modelId: "m",
  samplerId: undefined,
  sequenceId: undefined,
  requestId: undefined,
  operation: undefined,
  body: undefined,
  status: undefined,
  receivedAtMs: 0,
  answeredAtMs: undefined,
  fault: undefined,
};

describe("a log of requests", () => {
  it("lets go of the oldest bodies once all of them take too much memory, and keeps the requests", () => {
    const log = new RequestLog({ maxBodyBytes: 1_000 });
    for (let index = 0; index < 5; index += 1) log.keepBody(log.add(head), { text: "x".repeat(150), index });
    expect(log.requests.map(({ body }) => body !== undefined)).toEqual([false, false, false, true, true]);
    expect(log.requests).toHaveLength(5);
  });

  it("keeps no body that is too large alone, and those before it", () => {
    const log = new RequestLog({ maxBodyBytes: 1_000 });
    log.keepBody(log.add(head), { index: 0 });
    log.keepBody(log.add(head), { text: "x".repeat(1_000) });
    expect(log.requests.map(({ body }) => body)).toEqual([{ index: 0 }, undefined]);
  });

  it("counts no body any more whose request has gone", () => {
    const log = new RequestLog({ maxBodyBytes: 1_000, maxRequests: 2 });
    for (let index = 0; index < 50; index += 1) log.keepBody(log.add(head), { text: "x".repeat(150) });
    expect(log.requests.map(({ body }) => body !== undefined)).toEqual([true, true]);
  });
});

describe("futures that are known", () => {
  it("are the last ones, and one that comes again is the one it was", () => {
    const futures = new KnownFutures(3);
    const submit = (sequenceId: number) => {
      const future = futures.ofSubmission({ ...head, number: 1, sequenceId }, "optim_step", () => undefined);
      futures.note(`f-${sequenceId}`, future);
      return future;
    };
    const made = Array.from({ length: 5 }, (_, index) => submit(index));
    expect([0, 1, 2, 3, 4].map((id) => futures.get(`f-${id}`) === made[id])).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(submit(4)).toBe(made[4]);
    expect(submit(0)).not.toBe(made[0]);
  });
});
