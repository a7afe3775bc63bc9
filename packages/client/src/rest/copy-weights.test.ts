import { describe, expect, it } from "vitest";
import { openService, throughSleeps } from "../testing/open-service.js";

const PATH = "tinker://run/weights/a";
const COPY = { body: { tinker_path: "tinker://copy/weights/a" } };

describe("copies of weights", () => {
  it("newest-clients 36, newest-wire 22: are asked for under one plain key, with the token in a header alone", async () => {
    const { stub, service, clock, logger } = await openService();
    stub.script("copy_weights", { status: 503 }, { status: 503 }, COPY);
    const options = { destination_project_id: "p", ttl_seconds: 7200, weights_access_token: "secret-token" };
    expect(await throughSleeps(clock, service.rest.copyWeights(PATH, options))).toBe(
      "tinker://copy/weights/a",
    );
    const requests = stub.seen("copy_weights");
    expect(requests).toHaveLength(3);
    for (const { json, headers } of requests) {
      expect(json).toEqual({ source_path: PATH, destination_project_id: "p", ttl_seconds: 7200 });
      expect(headers["x-tinker-weights-access-token"]).toBe("secret-token");
      expect(headers["x-sdk-method"]).toBe("RestClient.copy_weights");
    }
    const keys = new Set(requests.map(({ headers }) => headers["x-idempotency-key"]));
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(logger.lines.join("\n")).not.toContain("secret-token");
  });

  it("newest-clients 36: go to the project of the call, of the client or of the environment, or nowhere", async () => {
    const { stub, service } = await openService();
    expect(() => service.rest.copyWeights(PATH)).toThrow(
      "copyWeights: there is no project to copy to; give destination_project_id, make the client with projectId, or set TINKER_PROJECT_ID",
    );
    expect(() => service.copyWeights(PATH)).toThrow("no project to copy to");
    expect(stub.requests).toEqual([]);
    const inEnv = await openService({ env: { TINKER_PROJECT_ID: "from-env" } });
    inEnv.stub.on("copy_weights", () => COPY);
    await inEnv.service.rest.copyWeights(PATH);
    await inEnv.service.rest.copyWeights(PATH, { destination_project_id: "own" });
    const ofClient = await openService({ projectId: "of-client", env: { TINKER_PROJECT_ID: "from-env" } });
    ofClient.stub.on("copy_weights", () => COPY);
    await ofClient.service.copyWeights(PATH, { ttl_seconds: 60 });
    const projects = [...inEnv.stub.seen("copy_weights"), ...ofClient.stub.seen("copy_weights")];
    expect(projects.map(({ json }) => json?.destination_project_id)).toEqual([
      "from-env",
      "own",
      "of-client",
    ]);
    expect(ofClient.stub.seen("copy_weights")[0]?.headers["x-sdk-method"]).toBe("ServiceClient.copy_weights");
    expect(ofClient.stub.trace).not.toContain("create_session");
  });

  it.each([
    [{ ttl_seconds: 0 }, /^copyWeights: ttl_seconds/],
    [{ weights_access_token: 5 as never }, /^copyWeights: weights_access_token must be a string/],
    [{ destination_project_id: "" }, /^copyWeights: there is no project/],
  ])("are refused with %j before anything is sent", async (options, message) => {
    const { stub, service } = await openService({ projectId: "p" });
    expect(() => service.rest.copyWeights(PATH, options)).toThrow(message);
    expect(stub.requests).toEqual([]);
  });
});
