import { describe, expect, it } from "vitest";
import { EarlyCompletions } from "./early-completions.js";

const completion = (request_id: string) => ({ state: "finished" as const, request_id });

describe("EarlyCompletions", () => {
  it("gives the completion that came before its ticket, once", () => {
    const early = new EarlyCompletions();
    const end = early.submitting();
    early.keep(completion("r1"));
    expect(early.take("r1")).toEqual(completion("r1"));
    expect(early.take("r1")).toBeUndefined();
    end();
  });

  it("keeps nothing while nothing is being submitted", () => {
    const early = new EarlyCompletions();
    early.submitting()();
    early.keep(completion("r1"));
    expect(early.size).toBe(0);
  });

  it("forgets a completion once all that were being submitted when it came have their tickets", () => {
    const early = new EarlyCompletions();
    const [endFirst, endSecond] = [early.submitting(), early.submitting()];
    early.keep(completion("r1"));
    const endThird = early.submitting();
    early.keep(completion("r2"));
    endSecond();
    expect(early.size).toBe(2);
    endFirst();
    // The third may still be the one that r2 belongs to, but not r1.
    expect(early.take("r1")).toBeUndefined();
    expect(early.take("r2")).toEqual(completion("r2"));
    endThird();
    expect(early.size).toBe(0);
  });

  it("keeps one that is told of twice for as long as the second time asks for", () => {
    const early = new EarlyCompletions();
    const endFirst = early.submitting();
    early.keep(completion("r1"));
    early.keep(completion("r2"));
    const endSecond = early.submitting();
    early.keep(completion("r1"));
    endFirst();
    expect(early.take("r2")).toBeUndefined();
    expect(early.take("r1")).toEqual(completion("r1"));
    endSecond();
  });

  it("stays small over a hundred thousand samples that are given up", () => {
    const early = new EarlyCompletions();
    for (let index = 0; index < 100_000; index += 1) {
      const end = early.submitting();
      early.keep(completion(`r${index}`));
      end();
    }
    expect(early.size).toBe(0);
  });
});
