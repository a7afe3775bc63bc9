import { ClosedError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../testing/open-service.js";
import { StubService } from "../testing/stub-service.js";
import { AdminClient } from "./admin-client.js";
import { RestClient } from "./rest-client.js";
import { ServiceClient } from "./service-client.js";
import type { ConnectionOptions } from "./shared-connection.js";

async function startStub(): Promise<StubService> {
  const stub = await StubService.start();
  onTestFinished(() => stub.close());
  stub.on("checkpoints?limit=100&offset=0", () => ({ body: { checkpoints: [] } }));
  stub.on("audit?event_type=all", () => ({ body: { entries: [] } }));
  return stub;
}

/** A client that ends with the test. */
function open(options: ConnectionOptions): RestClient {
  const client = new RestClient(options);
  onTestFinished(() => client.close());
  return client;
}

describe("clients without a session", () => {
  it("newest-clients 40: of the same server and credentials share connections and one look at its configuration, also when both begin at once", async () => {
    const stub = await startStub();
    const env = { TINKER_API_KEY: CANARY_KEY, TINKER_BASE_URL: stub.url };
    const [first, second] = [open({ env }), open({ env: { ...env, LANG: "C" } })];
    const admin = new AdminClient({ env });
    onTestFinished(() => admin.close());
    await Promise.all([first.listUserCheckpoints(), second.listUserCheckpoints(), admin.getAuditLog()]);
    await second.listUserCheckpoints();
    expect(stub.seen("client/config")).toHaveLength(1);
    expect(stub.trace).not.toContain("create_session");
    expect(new Set(stub.requests.map(({ headers }) => headers["x-sdk-method"]))).toEqual(
      new Set([undefined, "RestClient.list_user_checkpoints", "AdminClient.get_audit_log"]),
    );
  });

  it("newest-clients 40: of another key, another environment or another logger have their own", async () => {
    const stub = await startStub();
    const env = { TINKER_API_KEY: CANARY_KEY, TINKER_BASE_URL: stub.url };
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const clients = [
      open({ env }),
      open({ env, apiKey: `${CANARY_KEY}2` }),
      open({ env: { ...env, TINKER_API_KEY: `${CANARY_KEY}3` } }),
      open({ env, logger }),
      open({ env, headers: { "x-team": "a" } }),
    ];
    await Promise.all(clients.map((client) => client.listUserCheckpoints()));
    expect(stub.seen("client/config")).toHaveLength(clients.length);
    const keys = stub.seen("checkpoints?limit=100&offset=0").map(({ headers }) => headers["x-api-key"]);
    expect(keys.sort()).toEqual(
      [CANARY_KEY, CANARY_KEY, CANARY_KEY, `${CANARY_KEY}2`, `${CANARY_KEY}3`].sort(),
    );
  });

  it("end their own calls when they close, and the last one lets the connections go", async () => {
    const stub = await startStub();
    const options = { baseUrl: stub.url, apiKey: CANARY_KEY, env: {} };
    const [first, second] = [open(options), open(options)];
    await Promise.all([first.listUserCheckpoints(), second.listUserCheckpoints()]);
    stub.on("samplers/slow", () => new Promise(() => {}));
    const slow = first.getSampler("slow");
    const failure = slow.catch((error: unknown) => error);
    await until(() => stub.seen("samplers/slow").length === 1, "the slow call");
    await first.close();
    expect(await failure).toBeInstanceOf(ClosedError);
    expect(() => first.listUserCheckpoints()).toThrow("the REST client is closed");
    await second.listUserCheckpoints();
    expect(stub.seen("client/config")).toHaveLength(1);
    await second.close();
    await second.close();
    await expect.poll(() => stub.connections(), { timeout: 15_000 }).toBe(0);
    await open(options).listUserCheckpoints();
    expect(stub.seen("client/config")).toHaveLength(2);
  });

  it("share their connections with service clients too, and a pause that the service asks of one", async () => {
    const stub = await startStub();
    const clock = new FakeClock();
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const options = { baseUrl: stub.url, apiKey: CANARY_KEY, env: {}, clock, logger };
    const [first, second] = [new ServiceClient(options), new ServiceClient(options)];
    const rest = new RestClient(options);
    await first.getServerCapabilities();
    await first.rest.listUserCheckpoints();
    const count = await stub.connections();
    await second.getServerCapabilities();
    await rest.listUserCheckpoints();
    expect(await stub.connections()).toBe(count);
    stub.script("get_server_capabilities", { status: 429, headers: { "retry-after": "20" } });
    const refused = first.getServerCapabilities();
    await until(() => clock.sleeps.length === 1, "the pause");
    const later = rest.listUserCheckpoints();
    await until(() => clock.sleeps.length === 2, "the shared pause");
    expect(stub.seen("checkpoints?limit=100&offset=0")).toHaveLength(2);
    await clock.advance(30_000);
    await Promise.all([refused, later]);
    await first.close();
    await expect(first.getServerCapabilities()).rejects.toBeInstanceOf(ClosedError);
    await second.getServerCapabilities();
    await Promise.all([second.close(), rest.close()]);
    await expect.poll(() => stub.connections(), { timeout: 15_000 }).toBe(0);
  });
});
