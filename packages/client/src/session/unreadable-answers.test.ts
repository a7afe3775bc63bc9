import { ConnectionError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { openService, throughSleeps } from "../testing/open-service.js";

const PAGES = [
  { body: "<html>One moment</html>", headers: { "content-type": "text/html" } },
  { body: "" },
] as const;

describe("a success that is a proxy's page, or nothing", () => {
  it.each(["client/config", "create_session", "create_sampling_session", "get_info"])(
    "of %s is asked for again under the same key",
    async (path) => {
      const { stub, service, clock } = await openService();
      stub.script(path, ...PAGES);
      await throughSleeps(clock, service.createLoraTrainingClient({ base_model: "b" }));
      await throughSleeps(clock, service.createSamplingClient({ base_model: "b" }));
      const keys = stub.seen(path).map(({ headers }) => headers["x-idempotency-key"]);
      expect(keys).toHaveLength(3);
      expect(new Set(keys).size).toBe(1);
    },
  );

  // Some servers of .NET begin a text with the mark (RFC 8259 8.1 lets readers pass over it), as the decoder of answers does.
  it("is not one that begins with a mark of byte order", async () => {
    const { stub, service, clock } = await openService();
    stub.script("create_session", { body: `\ufeff${JSON.stringify({ session_id: "S" })}` });
    await throughSleeps(clock, service.createSamplingClient({ base_model: "b" }));
    expect(stub.seen("create_session")).toHaveLength(1);
  });

  it("of a question that is posted to REST is asked for again under the same key", async () => {
    const { stub, service, clock } = await openService();
    stub.script("weights_info", ...PAGES);
    const asked = service.rest.getWeightsInfoByTinkerPath("tinker://a/weights/b");
    expect((await throughSleeps(clock, asked)).base_model).toBe("base");
    const keys = stub.seen("weights_info").map(({ headers }) => headers["x-idempotency-key"]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it("and nothing else from an address is told soon, as it may be the wrong one", async () => {
    const { stub, service, clock } = await openService();
    stub.fallback = () => PAGES[0];
    stub.forget();
    const opened = service.connect();
    await expect(throughSleeps(clock, opened)).rejects.toThrow(ConnectionError);
    await expect(opened).rejects.toThrow(
      /answered 200 with 23 bytes that are no answer of the API\) for client_config after 3 tries; is TINKER_BASE_URL right/,
    );
  });
});
