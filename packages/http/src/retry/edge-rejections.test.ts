import { describe, expect, it } from "vitest";
import type { Answer } from "../errors/try-outcome.js";
import { trafficOf } from "../limits/traffic.js";
import { POOL_LIMITS, USUAL } from "../operations/policy.js";
import type { WireRequest } from "../request/wire-request.js";
import { EdgeRejections } from "./edge-rejections.js";

const answer = (status: number, text = ""): Answer => ({
  kind: "answer",
  status,
  headers: {},
  body: new TextEncoder().encode(text),
});
const request: WireRequest = {
  pool: "rest",
  method: "GET",
  origin: "http://127.0.0.1",
  path: "/",
  headers: [],
  body: undefined,
  timeouts: USUAL,
  maxAnswerBytes: 1_000,
};
const edgeThatNotes = (): { edge: EdgeRejections; renewed: WireRequest[] } => {
  const renewed: WireRequest[] = [];
  return { edge: new EdgeRejections((of) => renewed.push(of)), renewed };
};

describe("EdgeRejections", () => {
  it("transport 29: sixteen empty 400s in a row are the edge's, the seventeenth is a 400", () => {
    const { edge, renewed } = edgeThatNotes();
    for (let i = 0; i < 16; i += 1) {
      expect(edge.judge(answer(400), request)).toMatchObject({ kind: "broken" });
      expect(renewed).toHaveLength(i + 1);
    }
    expect(edge.judge(answer(400), request)).toMatchObject({ status: 400 });
    expect(renewed).toEqual(Array.from({ length: 17 }, () => request));
    edge.judge(answer(200), request);
    expect(edge.judge(answer(400), request)).toMatchObject({ kind: "broken" });
  });

  it("are counted for each kind of traffic by itself", () => {
    const { train, rest } = trafficOf(POOL_LIMITS, () => {});
    for (let i = 0; i < 16; i += 1) train.edge.judge(answer(400), request);
    expect(train.edge.judge(answer(400), request)).toMatchObject({ status: 400 });
    expect(rest.edge.judge(answer(400), request)).toMatchObject({ kind: "broken" });
  });

  it("transport 30: a 400 that says something is the service's", () => {
    const { edge, renewed } = edgeThatNotes();
    const said = answer(400, "{}");
    expect(edge.judge(said, request)).toBe(said);
    expect(renewed).toEqual([]);
  });

  it("leaves every other outcome as it is", () => {
    const { edge, renewed } = edgeThatNotes();
    const outcomes = [
      answer(200),
      answer(500),
      { kind: "timed_out", waitingFor: "a connection", limitMs: 1 },
    ] as const;
    for (const outcome of outcomes) expect(edge.judge(outcome, request)).toBe(outcome);
    expect(renewed).toEqual([]);
  });
});
