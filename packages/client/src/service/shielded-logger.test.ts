import { silentLogger } from "@tinkex/base";
import { expect, it } from "vitest";
import { openService, until } from "../testing/open-service.js";
import { shieldedLogger } from "./shielded-logger.js";

const broken = (): never => {
  throw new Error("disk full");
};

it.each([
  ["throws", broken],
  ["rejects", async () => broken()],
])("a logger that %s fails no call", async (_, log) => {
  let lines = 0;
  const counted = (): unknown => {
    lines += 1;
    return log();
  };
  const logger = { debug: counted, info: counted, warn: counted, error: counted };
  const { stub, service } = await openService({ logger });
  stub.on("create_session", () => ({
    body: { session_id: "S", warning_message: "old", error_message: "odd" },
  }));
  const training = await service.createLoraTrainingClient({ base_model: "b" });
  stub.script("optim_step", { status: 422, body: { detail: "no" } });
  const failing = training.optimStep();
  await until(() => lines > 3, "the lines");
  await expect(failing).rejects.toMatchObject({ code: "unprocessable" });
  await training.optimStep();
});

it("a logger that is silent stays so, and one with a receiver keeps it", () => {
  expect(shieldedLogger(silentLogger)).toEqual(silentLogger);
  class Kept {
    readonly lines: string[] = [];
    debug(line: string): void {
      this.lines.push(line);
    }
    info(line: string): void {
      this.lines.push(line);
    }
    warn(line: string): void {
      this.lines.push(line);
    }
    error(line: string): void {
      this.lines.push(line);
    }
  }
  const kept = new Kept();
  shieldedLogger(kept).warn("one");
  expect(kept.lines).toEqual(["one"]);
});
