import { expect, it, onTestFinished } from "vitest";
import { ServiceClient } from "../service/service-client.js";
import { openService } from "../testing/open-service.js";
import { RecordingLogger } from "../testing/recording-logger.js";

it.each([true, false])(
  "clients 78: a sampler of a handle numbers its samples from a thousand million on, exactly, in the session of the other (numbers given by the service: %j)",
  async (isJoined) => {
    const { stub, service } = await openService();
    stub.on("client/config", () => ({ body: { sample_join_sampling_session: isJoined } }));
    stub.on("join_sampling_session", () => ({ body: { client_counter: 7 } }));
    const sampler = await service.createSamplingClient({ base_model: "b" });
    const handle = JSON.parse(JSON.stringify(structuredClone(sampler.toHandle())));
    const other = new ServiceClient({ baseUrl: stub.url, env: {}, logger: new RecordingLogger() });
    onTestFinished(() => other.close());
    const copy = await other.createSamplingClientFromHandle(handle);
    for (const client of [sampler, copy, copy]) {
      await client.sample({ prompt: [1], sampling_params: { max_tokens: 1 } });
    }
    const [own, ...copied] = stub.seen("asample").map(({ json }) => Number(json?.seq_id));
    expect(own).toBe(0);
    expect(copied.every((seqId) => seqId >= 1_000_000_000 && Number.isSafeInteger(seqId))).toBe(true);
    expect(copied[1]).toBe((copied[0] ?? 0) + 1);
    if (isJoined) expect(copied[0]).toBe(7_000_000_000);
    expect(new Set(stub.seen("asample").map(({ json }) => json?.sampling_session_id)).size).toBe(1);
    expect(stub.seen("create_session")).toHaveLength(1);
  },
);
