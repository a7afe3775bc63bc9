import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { ApiStatusError, ValidationError } from "@tinkex/base";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import { answer, type HostileServer, type Move, on, type Rule } from "@tinkex-tooling/hostile-server";
import { failOnUnhandledErrors, temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { testToken } from "../testing/test-token.js";
import { failureOf, json, play, transportTo } from "../testing/test-transport.js";
import { type CredentialSource, credentialCommand } from "./credential-command.js";
import { CredentialError } from "./credential-error.js";
import { readStoredKey } from "./credential-store.js";

const node = (script: string): string => `"${process.execPath}" -e "${script}"`;

describe("credentialCommand", () => {
  it("transport 74: takes what the command prints, trimmed", async () => {
    expect(await credentialCommand("echo '  tml-abc  '")()).toBe("tml-abc");
  });

  it("transport 74: nothing printed, a failure and a long wait are errors that never show what was printed", async () => {
    const run = (command: string, timeoutMs?: number): Promise<unknown> =>
      failureOf(Promise.resolve(credentialCommand(command, timeoutMs)()));
    for (const [command, message] of [
      ["true", /printed nothing/],
      ["echo canary; echo why >&2; exit 3", /failed with 3; run it in a terminal to see why$/],
    ] as const) {
      const error = await run(command);
      expect(error).toBeInstanceOf(CredentialError);
      expect(error).toMatchObject({ message: expect.stringMatching(message) });
      expect(JSON.stringify(error)).not.toContain("canary");
    }
    expect(await run(node("setTimeout(() => {}, 60000)"), 200)).toMatchObject({
      message: expect.stringMatching(/took longer than 200 ms/),
    });
  });
});

describe("credentialCommand, asked by many", () => {
  it("runs once for those who ask together, and anew for whoever asks later, also after a failure", async () => {
    const file = join(temporaryDirectory(), "runs");
    const source = credentialCommand(
      `echo x >> "${file}"; grep -c x "${file}"; test $(grep -c x "${file}") != 2`,
    );
    expect(await Promise.all([source(), source(), source()])).toEqual(["1", "1", "1"]);
    expect(await failureOf(Promise.resolve(source()))).toBeInstanceOf(CredentialError);
    expect(await source()).toBe("3");
  });

  it("more output than a credential can be is an error that holds none of it", async () => {
    const error = await failureOf(
      Promise.resolve(credentialCommand(node("process.stdout.write('canary'.repeat(1e6))"))()),
    );
    expect(error).toBeInstanceOf(CredentialError);
    expect(error.message).not.toContain("canary");
  });
});

describe("a source of credentials that fails when nobody waits for it any more", () => {
  it.each([
    ["signal", (signal: AbortSignal) => ({ signal })],
    ["stopSignal", (signal: AbortSignal) => ({ stopSignal: signal })],
  ])("a call whose %s had aborted ends as aborted, and the failure ends no process", async (_, limits) => {
    failOnUnhandledErrors();
    const credential = () => Promise.reject(new Error("no key"));
    const transport = transportTo({ url: "http://127.0.0.1:9" }, { apiKey: undefined, credential });
    const call = transport.call({ operation: "get_info", ...limits(AbortSignal.abort()) });
    expect(await failureOf(call)).toMatchObject({ code: "aborted" });
  });
});

describe("a source of credentials that has none to give", () => {
  const ask = async (credential: unknown, baseUrl = "https://tinker.invalid"): Promise<Error> => {
    const server = await play(answer(200));
    const options = { apiKey: undefined, credential: credential as CredentialSource, baseUrl };
    const error = await failureOf(transportTo(server, options).call({ operation: "get_info" }));
    expect(error.message).not.toMatch(/canary|apiKey/);
    expect(server.requests).toEqual([]);
    return error;
  };

  it.each([
    [
      "at once",
      () => {
        throw new Error("the vault says tml-canary");
      },
    ],
    ["later", () => Promise.reject(new Error("the vault says tml-canary"))],
    ["as no error", () => Promise.reject("tml-canary")],
  ])("throws %s: the option is named, and what it said is the cause alone", async (_, credential) => {
    const error = await ask(credential);
    expect(error).toBeInstanceOf(CredentialError);
    expect(error.message).toBe("credential failed to give a key; its own error is the cause of this one");
    expect(String(error.cause)).toContain("canary");
  });

  it("keeps an error of ours that it throws", async () => {
    const own = new CredentialError("log in again");
    expect(await ask(() => Promise.reject(own))).toBe(own);
  });

  it.each([
    ["an object", () => ({ key: "tml-canary" })],
    ["an array", () => ["tml-canary"]],
    ["undefined", () => undefined],
    ["null", async () => null],
  ])("gives %s: the option is named, and nothing of it is shown", async (kind, credential) => {
    for (const baseUrl of ["https://tinker.invalid", "http://127.0.0.1:1"]) {
      const error = await ask(credential, baseUrl);
      expect(error.message).toBe(`credential must give a string, e.g. "tml-…", got ${kind}`);
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary");
    }
  });

  it("gives nothing but spaces: the option is named, and not the one that was not given", async () => {
    expect((await ask(() => "  ")).message).toBe("credential must give the key, got an empty string");
  });

  it.skipIf(process.platform === "win32")(
    "is a command that prints no key, which is named by its variable",
    async () => {
      for (const printed of ["canary", "tml-canary; echo canary"]) {
        expect((await ask(credentialCommand(`echo ${printed}`))).message).toMatch(
          /^the API key \(TINKER_CREDENTIAL_CMD\) /,
        );
      }
      const over = await ask(credentialCommand(`echo ${testToken({ exp: 1 })}`));
      expect(over.message).toMatch(/^the token \(TINKER_CREDENTIAL_CMD\) ended/);
    },
  );
});

describe("readStoredKey", () => {
  async function home(content?: string): Promise<string> {
    const folder = temporaryDirectory();
    if (content !== undefined) {
      await mkdir(join(folder, ".tinker"));
      await writeFile(join(folder, ".tinker", "credentials.json"), content, { mode: 0o600 });
    }
    return folder;
  }
  const keys = { "7": { type: "manual", key: "tml-stored", name: "n" } };

  it("newest-clients 48: gives the default key, or none", async () => {
    expect(await readStoredKey(await home(JSON.stringify({ version: 1, default: "7", keys })))).toBe(
      "tml-stored",
    );
    expect(await readStoredKey(await home(JSON.stringify({ version: 1, keys })))).toBeUndefined();
    expect(
      await readStoredKey(await home(JSON.stringify({ version: 1, default: "8", keys }))),
    ).toBeUndefined();
    expect(await readStoredKey(await home())).toBeUndefined();
  });

  it.each(['{"version":2}', '{"version":1,"default":"canary', "canary", "[]", "null"])(
    "newest-clients 48: refuses %j by the file's name alone",
    async (content) => {
      const error = await failureOf(readStoredKey(await home(content)));
      expect(error).toBeInstanceOf(CredentialError);
      expect(error.message).toMatch(/credentials\.json/);
      expect(error.message).not.toMatch(/canary/);
    },
  );
});

describe("credentials on the wire", () => {
  const token = (n: number): string => testToken({ iat: 1, exp: 3601, n });
  const refusal = { "www-authenticate": 'Bearer error="invalid_token"' };

  /** Hands out tokens 1, 2, …; answers everything else as told. */
  function service(...script: readonly (Move | Rule)[]): Promise<HostileServer> {
    const tokens = [1, 2, 3].map((n) => answer(200, { jwt: token(n) }));
    return play(on({ path: "/auth/token" }, ...tokens), ...script);
  }

  it("transport 77: the configuration goes with the key, the rest with a token", async () => {
    const server = await service(answer(200));
    const transport = transportTo(server);
    await transport.call({ operation: "client_config", body: json({}) });
    transport.useTokens();
    await Promise.all([1, 2, 3].map(() => transport.call({ operation: "create_session", body: json({}) })));
    await transport.call({ operation: "client_config", body: json({}) });
    expect(server.requests.map(({ path, headers }) => [path.split("/v1/")[1], headers["x-api-key"]])).toEqual(
      [
        ["client/config", CANARY_KEY],
        ["auth/token", CANARY_KEY],
        ...Array(3).fill(["create_session", token(1)]),
        ["client/config", CANARY_KEY],
      ],
    );
  });

  it("newest-clients 46, transport 76: a refused token is replaced and the request sent again, as the same try", async () => {
    const server = await service(
      on({ header: ["x-api-key", token(1)] }, answer(401, {}, refusal)),
      answer(200),
    );
    const transport = transportTo(server);
    transport.useTokens();
    await Promise.all(Array.from({ length: 10 }, () => transport.call({ operation: "optim_step" })));
    expect(server.requests.filter(({ path }) => path.endsWith("/auth/token"))).toHaveLength(2);
    const [, first] = server.requests;
    const twin = server.requests.findLast(
      ({ headers }) => headers["x-idempotency-key"] === first?.headers["x-idempotency-key"],
    );
    expect(twin?.headers["x-api-key"]).toBe(token(2));
    expect(twin?.headers["x-stainless-retry-count"]).toBe("0");
  });

  it("newest-clients 46: a second refusal is raised, and a plain 401 exchanges nothing", async () => {
    const refusing = await service(answer(401, {}, refusal));
    const first = transportTo(refusing);
    first.useTokens();
    expect(await failureOf(first.call({ operation: "optim_step" }))).toMatchObject({
      status: 401,
      attempts: 1,
    });
    expect(refusing.requests).toHaveLength(4);

    const plain = await service(answer(401));
    const second = transportTo(plain);
    second.useTokens();
    expect(await failureOf(second.call({ operation: "optim_step" }))).toMatchObject({ status: 401 });
    expect(plain.requests).toHaveLength(2);
  });

  it("newest-clients 45: a refused exchange is told at once, as itself", async () => {
    const server = await play(answer(401, { detail: "no such key" }));
    const transport = transportTo(server);
    transport.useTokens();
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error).toBeInstanceOf(ApiStatusError);
    expect(error.message).toMatch(/auth_token.*401.*no such key/);
    expect(server.requests).toHaveLength(1);
  });

  it("newest-clients 45: a failing credential source is told at once, and nothing is sent", async () => {
    const server = await play(answer(200));
    const transport = transportTo(server, { apiKey: undefined, credential: credentialCommand("exit 1") });
    expect(await failureOf(transport.call({ operation: "create_session" }))).toBeInstanceOf(CredentialError);
    expect(server.requests).toHaveLength(0);
  });

  it("a source is asked for every try, and what it gave is blotted out", async () => {
    let asked = 0;
    const server = await play(answer(503), answer(403, { detail: "you sent secret-2" }));
    const credential = (): string => `secret-${++asked}`;
    const transport = transportTo(server, { apiKey: undefined, credential });
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(server.header("x-api-key")).toEqual(["secret-1", "secret-2"]);
    expect(error.message).not.toContain("secret-2");
  });

  it("a key that a call brings is left alone", async () => {
    const server = await play(answer(200));
    const transport = transportTo(server, { apiKey: undefined, credential: () => "tml-source" });
    await transport.call({ operation: "get_api_key", headers: { "X-Api-Key": "tml-pasted" } });
    expect(server.header("x-api-key")).toEqual(["tml-pasted"]);
  });

  it("a key and a source at once are refused", () => {
    const both = { apiKey: "tml-a", credential: () => "tml-b" };
    expect(() => transportTo({ url: "http://127.0.0.1:9" }, both)).toThrow(ValidationError);
  });
});
