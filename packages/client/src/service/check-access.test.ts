import { rm } from "node:fs/promises";
import { join } from "node:path";
import { storeKey } from "@tinkex/http";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { AccessError, type AccessFault } from "../auth/access-error.js";
import { getTinkerToken, hasCredentials } from "../auth/has-credentials.js";
import { type Reply, StubService } from "../testing/stub-service.js";
import { type CheckAccessOptions, checkAccess } from "./check-access.js";

async function startStub(): Promise<StubService> {
  const stub = await StubService.start();
  onTestFinished(() => stub.close());
  return stub;
}

/** Looks for access, and gives what stands in its way. */
async function failureOf(options: CheckAccessOptions): Promise<AccessError> {
  const failure = await checkAccess(options).then(undefined, (error: unknown) => error);
  if (!(failure instanceof AccessError)) throw new Error(`no AccessError: ${String(failure)}`);
  expect(failure.message).not.toContain(CANARY_KEY);
  expect(failure.message).toMatch(/^checkAccess: /);
  return failure;
}

const HOSTED = "https://tinker.invalid";

describe("checkAccess", () => {
  it("tells where the credential came from, asks once, and opens no session", async () => {
    const stub = await startStub();
    const env = { TINKER_BASE_URL: stub.url, TINKER_API_KEY: CANARY_KEY };
    expect(await checkAccess({ env })).toEqual({ baseUrl: stub.url, credentialFrom: "TINKER_API_KEY" });
    expect(await checkAccess({ env, apiKey: CANARY_KEY })).toMatchObject({ credentialFrom: "apiKey" });
    expect(await checkAccess({ env: { TINKER_BASE_URL: stub.url } })).toMatchObject({
      credentialFrom: "none",
    });
    expect(stub.seen("get_server_capabilities")).toHaveLength(3);
    expect(stub.trace).not.toContain("create_session");
  });

  it.each<readonly [AccessFault, string, Reply, RegExp]>([
    [
      "key",
      "get_server_capabilities",
      { status: 401 },
      /refuses the credential from TINKER_API_KEY; make a new key/,
    ],
    ["key", "client/config", { status: 403 }, /refuses the credential from TINKER_API_KEY/],
    ["account", "get_server_capabilities", { status: 402 }, /the account cannot pay; set up billing/],
    ["service", "get_server_capabilities", { status: 503 }, /answers with errors; try again later/],
    ["service", "get_server_capabilities", { status: 429 }, /answers with errors; try again later/],
    [
      "address",
      "get_server_capabilities",
      { status: 404, body: "<html>" },
      /is no Tinker API; check TINKER_BASE_URL/,
    ],
    ["address", "get_server_capabilities", { body: "<html>" }, /is no Tinker API; check TINKER_BASE_URL/],
    ["connection", "get_server_capabilities", { isReset: true }, /nobody answers at/],
  ])("says that it is the %s when %s answers %j, at once", async (fault, path, reply, message) => {
    const stub = await startStub();
    stub.on(path, () => reply);
    const failure = await failureOf({ env: { TINKER_BASE_URL: stub.url, TINKER_API_KEY: CANARY_KEY } });
    expect(failure.fault).toBe(fault);
    expect(failure.message).toMatch(message);
    expect(failure.cause).toBeDefined();
    expect(stub.seen(path)).toHaveLength(1);
  });

  it("says that a server asks for a key where none was given", async () => {
    const stub = await startStub();
    stub.on("client/config", () => ({ status: 401 }));
    const failure = await failureOf({ env: { TINKER_BASE_URL: stub.url } });
    expect(failure.fault).toBe("key");
    expect(failure.message).toMatch(
      /asks for a key, and none was given; set TINKER_API_KEY, or give the option apiKey/,
    );
  });

  it("says that nobody answers, and that there is no credential, or none that can be one", async () => {
    const stub = await StubService.start();
    const { url } = stub;
    await stub.close();
    expect(await failureOf({ baseUrl: url, env: {} })).toMatchObject({
      fault: "connection",
      code: "connection_failed",
    });
    const env = { TINKER_BASE_URL: HOSTED };
    expect((await failureOf({ env })).message).toMatch(
      /there is no credential for .*set TINKER_API_KEY or TINKER_CREDENTIAL_CMD/,
    );
    expect((await failureOf({ env: { ...env, TINKER_API_KEY: "abc" } })).message).toMatch(
      /must start with "tml-"/,
    );
    const command = await failureOf({ env: { ...env, TINKER_CREDENTIAL_CMD: "exit 3" } });
    expect(command).toMatchObject({ fault: "credential", code: "authentication_failed" });
    expect(command.message).toMatch(/the credential command \(TINKER_CREDENTIAL_CMD\) failed/);
  });

  it("says that the credential is at fault where its function throws, or gives no key, and names it", async () => {
    const vault = (): never => {
      throw new Error(`the vault says ${CANARY_KEY}`);
    };
    for (const [credential, message] of [
      [vault, /\(credential failed to give a key/],
      [async () => vault(), /\(credential failed to give a key/],
      [(() => 5) as never, /\(credential must give a string, e\.g\. "tml-…", got a number\)/],
      [() => "not-a-key", /the API key \(credential\) must start with "tml-"/],
    ] as const) {
      const failure = await failureOf({ baseUrl: HOSTED, env: {}, credential });
      expect(failure.fault).toBe("credential");
      expect(failure.message).toMatch(message);
    }
  });

  it("names the variable of a command, and the login of a store, that have no key to give", async () => {
    const home = temporaryDirectory();
    await storeKey(home, "7", { type: "manual", key: "stored", name: "n" });
    const env = { TINKER_BASE_URL: HOSTED, HOME: home };
    expect((await failureOf({ env })).message).toContain('the API key (the login of "tinker auth login")');
    const command = await failureOf({ env: { ...env, TINKER_CREDENTIAL_CMD: "echo printed" } });
    expect(command.fault).toBe("credential");
    expect(command.message).toContain("the API key (TINKER_CREDENTIAL_CMD) must start with");
    expect(command.message).not.toContain("printed");
  });

  it("leaves an abort and options of the wrong kind as they are", async () => {
    const stub = await startStub();
    stub.on("client/config", () => new Promise(() => {}));
    await expect(
      checkAccess({ baseUrl: stub.url, env: {}, signal: AbortSignal.timeout(20) }),
    ).rejects.toMatchObject({
      code: "aborted",
    });
    await expect(checkAccess({ apikey: "x" } as object)).rejects.toThrow(/unknown.*"apikey"/);
  });
});

describe("hasCredentials and getTinkerToken", () => {
  it("look at options, variables and the stored login, and run no command", async () => {
    const home = temporaryDirectory();
    const env = { TINKER_BASE_URL: HOSTED, HOME: home };
    const both = async (more: Readonly<Record<string, string>>, options: object = {}) => {
      const places = { env: { ...env, ...more }, ...options };
      return [await hasCredentials(places), await getTinkerToken(places)];
    };
    expect(await both({})).toEqual([false, undefined]);
    expect(await both({ TINKER_API_KEY: "abc" })).toEqual([false, undefined]);
    expect(await both({ TINKER_API_KEY: "tml-env" })).toEqual([true, "tml-env"]);
    expect(await both({ TINKER_API_KEY: "tml-env" }, { apiKey: "tml-option" })).toEqual([true, "tml-option"]);
    const ran = join(home, "ran");
    expect(await both({ TINKER_CREDENTIAL_CMD: `touch ${ran}` })).toEqual([true, undefined]);
    await expect(rm(ran)).rejects.toMatchObject({ code: "ENOENT" });
    await storeKey(home, "7", { type: "manual", key: "tml-stored", name: "n" });
    expect(await both({})).toEqual([true, "tml-stored"]);
    expect(await both({ TINKER_BASE_URL: "http://127.0.0.1:1", HOME: "" })).toEqual([true, undefined]);
    await expect(hasCredentials({ apikey: "x" } as object)).rejects.toThrow(/unknown.*"apikey"/);
  });
});
