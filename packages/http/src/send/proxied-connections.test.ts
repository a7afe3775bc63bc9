import { inspect } from "node:util";
import { ConnectionError } from "@tinkex/base";
import { answer } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { failureOf, startServer, text, transportTo } from "../testing/test-transport.js";
import { tunnelTo } from "../testing/tunnel.js";

describe("TLS through a proxy", () => {
  it("reaches a host that only the proxy knows, with the proxy's password and the server's own authority", async () => {
    const server = await startServer({ script: [answer(200, { safe: true })], tls: {} });
    const proxy = await tunnelTo(Number(new URL(server.url).port));
    const transport = transportTo(
      { url: "https://behind-proxy.test" },
      { proxy: { httpsProxy: `http://user:pass%20word@${proxy.at}` }, ca: server.ca },
    );
    for (const _ of [1, 2]) {
      const { body } = await transport.call({ operation: "get_info" });
      expect(text(body)).toBe('{"safe":true}');
    }
    expect(proxy.heads[0]).toMatch(/^CONNECT behind-proxy\.test:443 HTTP\/1\.1\r\n/);
    const password = Buffer.from("user:pass word").toString("base64");
    expect(proxy.heads[0]?.toLowerCase()).toContain(`proxy-authorization: basic ${password.toLowerCase()}`);
    expect(server.header("proxy-authorization")).toEqual([undefined, undefined]);
  });

  it("looks at the certificate behind the proxy, and does not repeat where it is not trusted", async () => {
    const server = await startServer({ script: [answer(200)], tls: {} });
    const proxy = await tunnelTo(Number(new URL(server.url).port));
    const options = { proxy: { httpsProxy: `http://${proxy.at}` } };
    for (const [url, ca, code] of [
      ["https://behind-proxy.test", undefined, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
      ["https://someone-else.test", server.ca, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ] as const) {
      const error = await failureOf(transportTo({ url }, { ...options, ca }).call({ operation: "get_info" }));
      expect(error).toMatchObject({ attempts: 1, cause: { code } });
    }
    expect(server.requests).toHaveLength(0);
  });

  it("a proxy that refuses is named by its failure and not by its password", async () => {
    const proxy = await tunnelTo(0, "407 Proxy Authentication Required");
    const transport = transportTo(
      { url: "https://behind-proxy.test" },
      { proxy: { httpsProxy: `http://user:canary-password@${proxy.at}` } },
    );
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain(`https://behind-proxy.test through the proxy http://${proxy.at} `);
    expect(error.message).toMatch(
      /\(the proxy answered 407\).*did not take the user name and password.*HTTPS_PROXY/,
    );
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary-password");
  });

  it("a proxy that wants a login and was given none is told from one that refuses it", async () => {
    const proxy = await tunnelTo(0, "407 Proxy Authentication Required");
    const options = { proxy: { httpsProxy: `http://${proxy.at}` } };
    const transport = transportTo({ url: "https://behind-proxy.test" }, options);
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error).toMatchObject({ attempts: 1 });
    expect(error.message).toMatch(/\(the proxy answered 407\).*give its user name and password.*HTTPS_PROXY/);
  });

  it("a proxy that is not there is told from a service that is not", async () => {
    const transport = transportTo(
      { url: "https://behind-proxy.test" },
      { proxy: { httpsProxy: "http://127.0.0.1:9" }, firstContactRetries: 0 },
    );
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error.message).toMatch(
      /could not connect to https:\/\/behind-proxy\.test through the proxy http:\/\/127\.0\.0\.1:9 \(ECONNREFUSED\).*is the proxy's address/,
    );
  });

  it("a host that is excepted is gone to directly", async () => {
    const proxy = await tunnelTo(0);
    const transport = transportTo(
      { url: "https://nowhere.invalid" },
      { proxy: { httpsProxy: `http://${proxy.at}`, noProxy: ".invalid" } },
    );
    const error = await failureOf(transport.call({ operation: "create_session" }));
    expect(error.message).toMatch(/could not connect to https:\/\/nowhere\.invalid/);
    expect(proxy.heads).toEqual([]);
  });
});
