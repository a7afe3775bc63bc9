import { ValidationError } from "@tinkex/base";
import type { GetInfoResponse, TrainingRun, UntypedAPIFuture, WeightsInfoResponse } from "@tinkex/types";
import { describe, expect, expectTypeOf, it } from "vitest";
import { openService, until } from "../testing/open-service.js";
import type { ServiceClient } from "./service-client.js";

const weights = { base_model: "b", is_lora: true, lora_rank: 8 };

describe("service.call", () => {
  it("calls an endpoint by its name, on behalf of itself, and reads the record of its answer", async () => {
    const { stub, service } = await openService();
    stub.on("weights_info", () => ({ body: weights }));
    const info = await service.call("weights_info", { tinker_path: "tinker://r/weights/a" });
    expect(info).toMatchObject(weights);
    const [request] = stub.seen("weights_info");
    expect(request?.json).toEqual({ tinker_path: "tinker://r/weights/a" });
    expect(request?.headers["x-sdk-method"]).toBe("ServiceClient.call");
    expect(stub.trace).not.toContain("create_session");
  });

  it("fills the path and the query", async () => {
    const { stub, service } = await openService();
    stub.on("training_runs?limit=2", () => ({
      body: { training_runs: [], cursor: { offset: 0, limit: 2, total_count: 0 } },
    }));
    const runs = await service.call("list_training_runs", undefined, { query: { limit: 2 } });
    expect(runs.training_runs).toEqual([]);
    stub.on("training_runs/a b/checkpoints/weights/c", () => ({ status: 204, body: "" }));
    const nothing = await service.call("delete_checkpoint", undefined, {
      path: { run: "a b", kind: "weights", name: "c" },
    });
    expect(nothing).toBeUndefined();
  });

  it("names the place of a sampling parameter that stands beside the prompt", async () => {
    const { service } = await openService();
    const record = { prompt: { chunks: [] }, base_model: "b", sampling_params: {}, top_p: 1 };
    await expect(service.call("asample", record)).rejects.toThrow(
      'unknown field "top_p": it belongs in sampling_params',
    );
  });

  it("refuses a field it does not know with the way around it, and sends it when asked to", async () => {
    const { stub, service } = await openService();
    stub.on("weights_info", () => ({ body: weights }));
    const record = { tinker_path: "tinker://r/weights/a", depth: 2 };
    await expect(service.call("weights_info", record)).rejects.toThrow(
      /unknown field "depth".*\(service\.call with unchecked: true sends it as it is\)$/,
    );
    expect(stub.seen("weights_info")).toEqual([]);
    await service.call("weights_info", record, { unchecked: true });
    expect(stub.seen("weights_info")[0]?.json).toEqual(record);
  });

  it("sends losses and sampling parameters of the future when asked to", async () => {
    const { stub, service } = await openService();
    const sample = {
      prompt: { chunks: [{ tokens: [1] }] },
      sampling_params: { max_tokens: 2, min_p: 0.1 },
      sampling_session_id: "s",
    };
    await expect(service.call("asample", sample)).rejects.toBeInstanceOf(ValidationError);
    const ticket = await service.call("asample", sample, { unchecked: true });
    expect(ticket.request_id).toBe("r1");
    expect(stub.seen("asample")[0]?.json).toMatchObject({ sampling_params: { max_tokens: 2, min_p: 0.1 } });
    const pass = {
      forward_backward_input: { data: [], loss_fn: "dpo_next" as "ppo" },
      model_id: "m",
      seq_id: 1,
    };
    stub.on("forward_backward", () => stub.accept("OptimStepResponse", {}));
    await service.call("forward_backward", pass, { unchecked: true });
    expect(stub.seen("forward_backward")[0]?.json).toMatchObject({
      forward_backward_input: { loss_fn: "dpo_next" },
    });
  });

  it("names the endpoint that was probably meant", async () => {
    const { stub, service } = await openService();
    await expect(service.call("wieghts_info" as "weights_info", { tinker_path: "t" })).rejects.toThrow(
      /^service\.call: unknown endpoint "wieghts_info", did you mean "weights_info"/,
    );
    expect(stub.requests).toEqual([]);
  });

  it("says of a call that ran out of time that it was sent", async () => {
    const { stub, service, clock } = await openService();
    stub.on("weights_info", () => new Promise<never>(() => {}));
    const record = { tinker_path: "tinker://r/weights/a" };
    const call = service.call("weights_info", record, { timeoutMs: 1000 });
    const failed = call.catch((error: unknown) => error);
    await until(() => stub.seen("weights_info").length === 1, "the request");
    await clock.advance(1000);
    expect(await failed).toMatchObject({ message: expect.stringContaining("call (being sent;") });
  });

  it("is typed in both directions", () => {
    const call = (service: ServiceClient) =>
      [
        service.call("get_info", { model_id: "m" }),
        service.call("get_training_run", undefined, { path: { run: "r" } }),
        service.call("optim_step", { model_id: "m", seq_id: 1 }),
        service.call("weights_info", { tinker_path: "t" }),
        // @ts-expect-error no such endpoint
        service.call("get_infos", { model_id: "m" }),
        // @ts-expect-error no such field
        service.call("get_info", { modelId: "m" }),
        // @ts-expect-error the path has a part
        service.call("get_training_run", undefined),
        // @ts-expect-error it is not called so
        service.call("get_training_run", undefined, { path: { training_run: "r" } }),
      ] as const;
    type Answers = ReturnType<typeof call>;
    expectTypeOf<Awaited<Answers[0]>>().toEqualTypeOf<GetInfoResponse>();
    expectTypeOf<Awaited<Answers[1]>>().toEqualTypeOf<TrainingRun>();
    expectTypeOf<Awaited<Answers[2]>>().toEqualTypeOf<UntypedAPIFuture>();
    expectTypeOf<Awaited<Answers[3]>>().toEqualTypeOf<WeightsInfoResponse>();
  });
});
