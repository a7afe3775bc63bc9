import { describe, expect, it } from "vitest";
import type { Answer } from "../errors/try-outcome.js";
import { EdgeRejections } from "./edge-rejections.js";

const answer = (status: number, text = ""): Answer => ({
  kind: "answer",
  status,
  headers: {},
  body: new TextEncoder().encode(text),
});
const rest = { pool: "rest" } as const;

describe("EdgeRejections", () => {
  it("transport 29: sixteen empty 400s in a row are the edge's, the seventeenth is a 400", () => {
    const edge = new EdgeRejections();
    for (let i = 0; i < 16; i += 1) {
      expect(edge.judge(answer(400), rest)).toMatchObject({ outcome: { kind: "broken" }, renew: true });
    }
    expect(edge.judge(answer(400), rest)).toMatchObject({ outcome: { status: 400 }, renew: true });
    expect(edge.judge(answer(400), { pool: "train" })).toMatchObject({ outcome: { kind: "broken" } });
    edge.judge(answer(200), rest);
    expect(edge.judge(answer(400), rest)).toMatchObject({ outcome: { kind: "broken" } });
  });

  it("transport 30: a 400 that says something is the service's", () => {
    expect(new EdgeRejections().judge(answer(400, "{}"), rest)).toMatchObject({
      outcome: { status: 400 },
      renew: false,
    });
  });
});
