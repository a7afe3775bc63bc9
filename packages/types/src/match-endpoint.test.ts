import { describe, expect, it } from "vitest";
import { ENDPOINTS, type EndpointName } from "./endpoints.js";
import { matchEndpoint } from "./match-endpoint.js";

const rows = Object.entries(ENDPOINTS).map(([name, { method, path }]) => [name, method, path] as const);

describe("matchEndpoint", () => {
  it.each(rows)("finds %s by its address, with its parameters unescaped", (name, method, path) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, part = ""]) => part);
    const filled = path.replace(/\{(\w+)\}/g, "my%20$1");
    const pathParameters = Object.fromEntries(names.map((part) => [part, `my ${part}`]));
    expect(matchEndpoint(method, filled)).toEqual({ name, pathParameters });
    expect(matchEndpoint(method, `/api/v1${filled}`)).toEqual({ name, pathParameters });
    expect(matchEndpoint(method, `/services/x/api/v1${filled}`)).toEqual({ name, pathParameters });
  });

  it.each([
    ["GET", "/optim_step"],
    ["POST", "/optim_step/"],
    ["POST", "/api/v2/optim_step"],
    ["GET", "/training_runs//checkpoints"],
    ["GET", "/sessions/%"],
    ["POST", "/toString"],
  ])("knows no %s %s", (method, path) => {
    expect(matchEndpoint(method, path)).toBeUndefined();
  });

  it("takes a literal part before a parameter", () => {
    expect(matchEndpoint("POST", "/sessions/search")?.name).toBe("search_sessions" satisfies EndpointName);
  });
});
