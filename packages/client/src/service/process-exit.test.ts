import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runScript } from "../testing/run-script.js";
import { StubService } from "../testing/stub-service.js";

let stub: StubService;
beforeAll(async () => {
  stub = await StubService.start();
});
afterAll(() => stub.close());

const prelude = (url: string): string => `
  const { ServiceClient } = await import(${JSON.stringify(new URL("../index.ts", import.meta.url).href)});
  const service = new ServiceClient({ baseUrl: ${JSON.stringify(url)} });
`;

describe("a program of its own", () => {
  it("BR-103: ends by itself although its session is open and beats", async () => {
    const end = await runScript(`${prelude(stub.url)}
      const sampler = await service.createSamplingClient({ base_model: "b" });
      const { sequences } = await sampler.sample({ prompt: [1], sampling_params: { max_tokens: 1 } });
      console.log(sequences.length);
    `);
    expect(end).toMatchObject({ code: 0, stdout: "1\n", stderr: "" });
    expect(end.lingeredMs).toBeLessThan(5_000);
  }, 60_000);

  it("is kept alive by work it awaits", async () => {
    const usual = stub.usual("retrieve_future");
    let polls = 0;
    stub.on("retrieve_future", (request) => {
      polls += 1;
      return polls % 3 === 0 ? usual(request) : { body: { type: "try_again" } };
    });
    const end = await runScript(`${prelude(stub.url)}
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      console.log((await training.optimStep()).metrics.grad_norm);
    `);
    stub.on("retrieve_future", usual);
    expect(end).toMatchObject({ code: 0, stdout: "1\n" });
  }, 60_000);

  it.each([
    ["is never awaited", ""],
    [
      "is waited for no longer",
      "await step.result({ timeoutMs: 300 }).catch((error) => console.log(error.code));",
    ],
  ])(
    "is not kept alive by work that %s",
    async (_, wait) => {
      const usual = stub.usual("retrieve_future");
      stub.on("retrieve_future", (request) =>
        request.headers["x-tinker-request-type"] === "OptimStep"
          ? { body: { type: "try_again" } }
          : usual(request),
      );
      const end = await runScript(`${prelude(stub.url)}
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      const step = training.optimStep();
      await step.submitted;
      ${wait}
      console.log("over");
    `);
      stub.on("retrieve_future", usual);
      expect(end).toMatchObject({ code: 0, stdout: expect.stringMatching(/over\n$/) });
      expect(end.lingeredMs).toBeLessThan(5_000);
    },
    60_000,
  );

  it("BR-017, BR-108: survives a failure nobody awaits, and leaves nothing open after close()", async () => {
    const usual = stub.usual("optim_step");
    stub.on("optim_step", () => ({ status: 422, body: { detail: "no" } }));
    const end = await runScript(`${prelude(stub.url)}
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      const step = training.optimStep();
      await new Promise((resolve) => setTimeout(resolve, 300));
      await service.close();
      console.log(process.getActiveResourcesInfo().filter((name) => name !== "TTYWrap" && name !== "PipeWrap").join());
      await step.catch((error) => console.log(error.code));
    `);
    stub.on("optim_step", usual);
    expect(end).toMatchObject({ code: 0, stdout: "\nunprocessable\n" });
    expect(end.stderr).toMatch(/optimStep failed and nobody is waiting for it yet/);
  }, 60_000);
});
