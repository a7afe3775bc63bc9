import { isSilent } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { consoleLogger, parseLogLevel } from "./console-logger.js";

describe("consoleLogger", () => {
  it("writes its level and louder ones, with the fields on the same line", () => {
    const lines: string[] = [];
    const logger = consoleLogger("warn", (line) => lines.push(line));
    logger.info("quiet");
    logger.warn("careful", { status: 503 });
    logger.error("broken");
    expect(lines).toEqual(["tinkex warn: careful { status: 503 }", "tinkex error: broken"]);
    expect(isSilent(logger.info)).toBe(true);
    expect(isSilent(logger.warn)).toBe(false);
  });

  it("refuses a level that there is not, which would let every line through", () => {
    expect(() => consoleLogger("trace" as never)).toThrow(
      /^consoleLogger: level must be one of debug, info, .*got "trace"$/,
    );
    expect(() => consoleLogger({ level: "off" } as never)).toThrow(/got an object$/);
  });

  it("reads the word of a level", () => {
    expect(parseLogLevel(" DEBUG ")).toBe("debug");
    expect(parseLogLevel("loud")).toBeUndefined();
    expect(parseLogLevel(undefined)).toBeUndefined();
  });
});
