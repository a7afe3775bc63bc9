import { expect, it } from "vitest";
import { openService, until } from "../testing/open-service.js";

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
