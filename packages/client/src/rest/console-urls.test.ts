import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { openService } from "../testing/open-service.js";
import { consoleUrls } from "./console-urls.js";

const CONSOLE = "https://tinker.thinkingmachines.ai";

describe("consoleUrls", () => {
  it("are those of the official SDK", () => {
    expect(consoleUrls.sessions()).toBe(`${CONSOLE}/sessions`);
    expect(consoleUrls.session("s-1")).toBe(`${CONSOLE}/sessions/s-1`);
    expect(consoleUrls.trainingRun("s:train:0")).toBe(`${CONSOLE}/training_runs/s:train:0`);
    expect(consoleUrls.checkpoint("tinker://s:train:0/weights/a")).toBe(
      `${CONSOLE}/checkpoints/s%3Atrain%3A0/weights%2Fa`,
    );
    expect(consoleUrls.playground("tinker://r/weights/a")).toBe(
      `${CONSOLE}/playground?mode=checkpoint&checkpoint=tinker%3A%2F%2Fr%2Fweights%2Fa`,
    );
  });

  it.each([
    () => consoleUrls.session(""),
    () => consoleUrls.trainingRun("tinker://r/weights/a"),
    () => consoleUrls.checkpoint("r"),
    () => consoleUrls.playground(5 as never),
    () => consoleUrls.session("\ud800"),
  ])("refuse what is no id or path", (call) => {
    expect(call).toThrow(ValidationError);
  });

  it("are that of the session once a service client has opened it", async () => {
    const { service } = await openService();
    expect(await service.getConsoleUrl()).toBe(`${CONSOLE}/sessions`);
    await service.connect();
    expect(await service.getConsoleUrl()).toBe(`${CONSOLE}/sessions/S`);
  });
});
