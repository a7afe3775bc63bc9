import { chmod, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { CredentialError } from "@tinkex/http";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { openService } from "../testing/open-service.js";
import { type Credentials, resolveCredentials } from "./credentials.js";

const HOSTED = "https://example.com";

function resolve(
  env: Readonly<Record<string, string>>,
  options: { apiKey?: string; baseUrl?: string } = {},
): Credentials {
  return resolveCredentials({
    apiKey: options.apiKey,
    credential: undefined,
    fromEnv: (name) => env[name] || undefined,
    baseUrl: options.baseUrl ?? HOSTED,
  });
}

/** What a credential source gives. */
async function given(credentials: Credentials): Promise<string | undefined> {
  return "credential" in credentials ? credentials.credential() : credentials.apiKey;
}

/** A home folder with a stored key. */
async function homeWithKey(key: string): Promise<string> {
  const home = temporaryDirectory();
  await mkdir(join(home, ".tinker"));
  const store = { version: 1, default: "1", keys: { 1: { type: "manual", key, name: "n" } } };
  await writeFile(join(home, ".tinker", "credentials.json"), JSON.stringify(store), { mode: 0o600 });
  return home;
}

describe("resolveCredentials", () => {
  it("newest-clients 48: takes options before the environment, the command and the store, in this order", async () => {
    const home = await homeWithKey("tml-stored");
    const env = { TINKER_API_KEY: "tml-env", TINKER_CREDENTIAL_CMD: "echo tml-command", HOME: home };
    expect(await given(resolve(env, { apiKey: "tml-option" }))).toBe("tml-option");
    expect(await given(resolve(env))).toBe("tml-env");
    expect(await given(resolve({ ...env, TINKER_API_KEY: "" }))).toBe("tml-command");
    expect(await given(resolve({ HOME: home }))).toBe("tml-stored");
  });

  it("needs no key for a server on this machine", async () => {
    expect(resolve({}, { baseUrl: "http://127.0.0.1:1" })).toEqual({ from: "none", apiKey: undefined });
  });

  it("names the ways to give a key when there is none, at the first call", async () => {
    await expect(given(resolve({}))).rejects.toBeInstanceOf(CredentialError);
    await expect(given(resolve({ HOME: tmpdir() }))).rejects.toThrow(
      /set TINKER_API_KEY or TINKER_CREDENTIAL_CMD/,
    );
  });

  it.skipIf(process.platform === "win32")(
    "refuses a stored key that others on this machine can read, and says the remedy",
    async () => {
      const home = await homeWithKey("tml-canary");
      for (const mode of [0o644, 0o640, 0o602]) {
        await chmod(join(home, ".tinker", "credentials.json"), mode);
        await expect(given(resolve({ HOME: home }))).rejects.toThrow(/: run chmod 600 .*credentials\.json/);
        await expect(given(resolve({ HOME: home }))).rejects.not.toThrow(/canary/);
        expect(await given(resolve({ HOME: home, TINKER_API_KEY: "tml-env" }))).toBe("tml-env");
      }
    },
  );

  it("refuses a key that cannot work at once", () => {
    expect(() => resolve({ TINKER_API_KEY: "abc" })).toThrow(ValidationError);
  });

  it("transport 73: a command takes the place of an environment's key that cannot work, not of an option", async () => {
    const env = { TINKER_API_KEY: "abc", TINKER_CREDENTIAL_CMD: "echo tml-command" };
    expect(await given(resolve(env))).toBe("tml-command");
    expect(() => resolve(env, { apiKey: "abc" })).toThrow(ValidationError);
  });
});

describe("tokens", () => {
  it("clients 9: exchanges the key for a token where the service wants that", async () => {
    const { stub, service } = await openService({ apiKey: "tml-key" });
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 3600 };
    const jwt = `${part({ alg: "none" })}.${part(claims)}.x`;
    stub.on("client/config", () => ({ body: { pjwt_auth_enabled: true } }));
    stub.on("auth/token", () => ({ body: { jwt } }));
    await service.connect();
    const keys = stub.requests.map(({ path, headers }) => [path, headers["x-api-key"]]);
    expect(keys).toEqual([
      ["client/config", "tml-key"],
      ["auth/token", "tml-key"],
      ["client/dynamic_config", jwt],
      ["create_session", jwt],
    ]);
  });
});
