import {
  checkApiKey,
  consoleLogger,
  createTransport,
  credentialCommand,
  credentialStorePath,
  downloadFile,
  isHeader,
  isLoopback,
  jsonEvents,
  multipartBody,
  parseLogLevel,
  parseRetryHint,
  proxyFromEnvironment,
  readCredentialStore,
  readStoredKey,
  removeStoredKey,
  resolveBaseUrl,
  serverSentEvents,
  storeKey,
  type TinkexTransport,
  zstdCompressor,
} from "@tinkex/http";
import { call, type PublicCalls } from "../public-call.js";
import { clock, logger } from "../surroundings.js";

/** Functions of `@tinkex/http`; `home` is a folder that may be written to, `transport` reaches nobody. */
export function httpCalls(home: string, transport: TinkexTransport): PublicCalls {
  return {
    checkApiKey: call(checkApiKey, () => ["tml-abc", "https://example.com", "apiKey"]),
    consoleLogger: call(consoleLogger, () => ["off", () => {}]),
    createTransport: call(createTransport, () => [
      {
        baseUrl: "http://127.0.0.1:9",
        apiKey: "tml-abc",
        defaultHeaders: { x: "y" },
        connectTimeoutMs: 100,
        clock,
        logger,
        random: () => 0.5,
        proxy: { httpProxy: "http://127.0.0.1:9", noProxy: "x" },
      },
    ]),
    "transport.call": call(transport.call.bind(transport), () => [{ operation: "healthz", timeoutMs: 50 }]),
    credentialCommand: call(credentialCommand, () => ["true", 100]),
    credentialStorePath: call(credentialStorePath, () => [home]),
    downloadFile: call(downloadFile, () => [
      {
        url: () => "http://127.0.0.1:9/x",
        target: `${home}/x`,
        maxBytes: 5,
        flush: false,
        clock,
        random: () => 0.5,
        timeoutMs: 20,
        silenceMs: 20,
      },
    ]),
    isHeader: call(isHeader, () => ["x", "y"]),
    isLoopback: call(isLoopback, () => ["http://127.0.0.1"]),
    multipartBody: call(multipartBody, () => [{ fields: { a: "b" }, files: [], boundary: "b" }]),
    parseLogLevel: call(parseLogLevel, () => ["info"]),
    parseRetryHint: call(parseRetryHint, () => [{ "retry-after": "3" }, 0]),
    proxyFromEnvironment: call(proxyFromEnvironment, () => [{ HTTP_PROXY: "http://127.0.0.1:9" }]),
    readCredentialStore: call(readCredentialStore, () => [home]),
    readStoredKey: call(readStoredKey, () => [home]),
    removeStoredKey: call(removeStoredKey, () => [home, "7"]),
    resolveBaseUrl: call(resolveBaseUrl, () => ["http://127.0.0.1:9"]),
    serverSentEvents: call(serverSentEvents, () => [(async function* () {})()]),
    jsonEvents: call(jsonEvents, () => [(async function* () {})()]),
    storeKey: call(storeKey, () => [home, "7", { type: "manual", key: "tml-abc", name: "n" }]),
    zstdCompressor: call(zstdCompressor, () => []),
  };
}
