import { describe, expect, it } from "vitest";
import { openService } from "../testing/open-service.js";

describe("opening a session", () => {
  it("newest-clients 18: tells the name to show, and only where there is one", async () => {
    const named = await openService({ displayName: "my run" });
    await named.service.connect();
    expect(named.stub.seen("create_session")[0]?.json).toMatchObject({ display_name: "my run" });
    const unnamed = await openService();
    await unnamed.service.connect();
    expect(unnamed.stub.seen("create_session")[0]?.json).not.toHaveProperty("display_name");
  });

  it("newest-clients 44: goes below the path of the base URL, whatever slashes end it", async () => {
    const { stub } = await openService();
    const { service } = await openService({ baseUrl: `${stub.url}/x///` });
    await service.connect().catch(() => {});
    // The stub shows what stands before and behind `/api/v1/`.
    expect(stub.requests.map(({ path }) => path)).toContain("/xclient/config");
    expect(stub.requests.every(({ path }) => path.startsWith("/xc"))).toBe(true);
  });
});
