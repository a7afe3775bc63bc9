import { expect, it } from "vitest";
import { openTraining } from "../../testing/open-training.js";

it("a load that works logs nothing, and getInfo asks again when it is to", async () => {
  const { stub, training, logger } = await openTraining();
  const path = "tinker://R/weights/a";
  await training.loadState(path);
  await training.loadStateWithOptimizer(path);
  expect(logger.lines).toEqual([]);
  stub.on("get_info", ({ json }) => ({
    body: { model_id: json?.model_id, model_data: { model_name: "new" } },
  }));
  expect((await training.getInfo()).model_data.model_name).toBe("b");
  expect((await training.getInfo({ refresh: true })).model_data.model_name).toBe("new");
  expect((await training.getInfo()).model_data.model_name).toBe("new");
});
