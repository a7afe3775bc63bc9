import { describe, expect, it } from "vitest";
import { silentLogger } from "../ports/logger.js";
import { systemClock } from "../time/system-clock.js";
import { checkClock, checkLogger, checkRandom } from "./check-surroundings.js";

describe("checkClock", () => {
  it("takes the machine's clock, one of a class, and none", () => {
    class Stopped {
      now = () => 0;
      monotonic = () => 0;
      sleep() {
        return Promise.resolve();
      }
    }
    for (const clock of [systemClock, new Stopped(), undefined]) {
      expect(() => checkClock(clock, "openRun: clock")).not.toThrow();
    }
  });

  it("names the method that is missing, and what would do in place of no object", () => {
    expect(() => checkClock({ now: Date.now, monotonic: Date.now }, "openRun: clock")).toThrow(
      "openRun: clock.sleep must be a function, got undefined",
    );
    expect(() => checkClock(Date.now, "openRun: clock")).toThrow(
      "openRun: clock must be an object, e.g. systemClock, got a function",
    );
    expect(() => checkClock(null, "openRun: clock")).toThrow("openRun: clock must be an object");
  });
});

describe("checkLogger", () => {
  it("takes the console, one that is silent, and none", () => {
    for (const logger of [console, silentLogger, undefined]) {
      expect(() => checkLogger(logger, "logger")).not.toThrow();
    }
  });

  it("asks for the methods that are used, and no other", () => {
    const logger = { warn() {} };
    expect(() => checkLogger(logger, "logger", ["warn"])).not.toThrow();
    expect(() => checkLogger(logger, "logger")).toThrow("logger.debug must be a function, got undefined");
  });
});

describe("checkRandom", () => {
  it("takes a function and none, and no number that was meant as a seed", () => {
    expect(() => checkRandom(Math.random, "random")).not.toThrow();
    expect(() => checkRandom(undefined, "random")).not.toThrow();
    expect(() => checkRandom(7, "random")).toThrow("random must be a function, got 7");
  });
});
