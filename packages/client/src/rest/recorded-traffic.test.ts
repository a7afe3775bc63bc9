import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { ApiStatusError, UnsupportedByServerError, ValidationError } from "@tinkex/base";
import { describe, expect, it, onTestFinished } from "vitest";
import { AdminCalls } from "../admin/admin-calls.js";
import { ServiceClient } from "../service/service-client.js";
import { openService, throughSleeps } from "../testing/open-service.js";
import { RestCalls } from "./rest-calls.js";

/** One call of the recorded program, and what it returned. */
interface Step {
  readonly id: string;
  readonly call: string;
  readonly args: Readonly<Record<string, unknown>> & { readonly positional?: readonly unknown[] };
  readonly result?: unknown;
  readonly error?: { readonly class: string; readonly message: string };
}

/** One recorded exchange; where the name of a step is that of none, it was made at the beginning. */
interface Exchange {
  readonly step: string;
  readonly request: Recorded & { readonly method: string; readonly path: string; readonly query: string };
  readonly response: Recorded & {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
  };
}

interface Recorded {
  readonly headers: Readonly<Record<string, string>>;
  readonly body_text?: string;
}

type Version = "0.4.1" | "0.25.0" | "0.38.0";

/** Recordings of the official Python SDK, which `@tinkex/wire` keeps. */
const FOLDER = new URL("../../../wire/fixtures/recorded/", import.meta.url);

function readRecording(version: Version): { steps: readonly Step[]; exchanges: readonly Exchange[] } {
  const text = (name: string) =>
    gunzipSync(readFileSync(new URL(`${version}/rest${name}.gz`, FOLDER))).toString("utf8");
  const { steps } = JSON.parse(text(".scenario.json"));
  return {
    steps,
    exchanges: text(".jsonl")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  };
}

/** Steps of each version that end otherwise here, with the reason. */
const DIFFERENCES: Readonly<Record<Version, Readonly<Record<string, string>>>> = {
  "0.4.1": {
    s18: "an address in the answer is read from every server",
    s27: "ids are escaped, so that they cannot leave their part of the path",
    s34: "exports are checkpoints too",
  },
  "0.25.0": {
    s22: "a server that says not to try again is obeyed",
    s23: "a server that says not to try again is obeyed",
    s34: "ids are escaped, so that they cannot leave their part of the path",
    s41: "exports are checkpoints too",
  },
  "0.38.0": {
    s24: "ids are escaped, so that they cannot leave their part of the path",
    s62: "a cursor goes back as it came: a date would lose its microseconds",
  },
};

/** Makes the call of a step as a program here would. `undefined`: the step makes none. */
function play({ call, args }: Step, service: ServiceClient): PromiseLike<unknown> | undefined {
  const { positional = [], ...options } = args;
  const [object = "", method = ""] = call.split(".");
  if (method === "new" || method === "createRestClient" || method === "close") return undefined;
  if (method === "searchSessions") return service.rest.searchSessions(argumentOf(options) as object);
  if (method === "copyWeights" && object === "service") return service.copyWeights(String(options.path));
  if (method === "copyWeights") {
    const [path, destination_project_id] = positional;
    return service.rest.copyWeights(String(path), { destination_project_id, ...options } as object);
  }
  if (method === "getBillingUsage") {
    const [starting_on, ending_before] = positional.map(argumentOf);
    return service.admin.getBillingUsage({ starting_on, ending_before } as never);
  }
  if (method === "getCurrentCheckpointStorageUsage") {
    const [project_id] = positional;
    return service.admin.getCurrentCheckpointStorageUsage(
      project_id === undefined ? {} : { project_id: String(project_id) },
    );
  }
  // Audit logs were a method of the REST client once.
  const target: object = method === "getAuditLog" ? service.admin : service.rest;
  return Reflect.get(target, method).call(target, ...positional, argumentOf(options));
}

function argumentOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("$datetime" in value) return new Date(String(value.$datetime));
  if (Array.isArray(value)) return value.map(argumentOf);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, argumentOf(each)]));
}

/** A result without what only one side has: nulls, kinds, our dates; times as moments. */
function comparable(value: unknown): unknown {
  if (typeof value === "string") return momentOf(value) ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return momentOf(value.toISOString());
  if ("$datetime" in value) return momentOf(String(value.$datetime));
  if (Array.isArray(value)) return value.map(comparable);
  const entries = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(
    entries
      .filter(([name, each]) => !OURS.includes(name) && !isEmptyObject(each))
      .map(([name, each]) => [name, comparable(each)]),
  );
}

const OURS = ["createdAt", "expiresAt", "optimizer_config"];

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}

function momentOf(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T/.test(text)) return undefined;
  const zoned = /(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`;
  return new Date(zoned).toISOString();
}

/** A request as it counts: where it goes, and what is in it. */
function sentOf(method: string, path: string, body: string): string {
  const [place = "", query = ""] = path.split("?");
  const parameters = [...new URLSearchParams(query)];
  const content = body === "" ? "" : JSON.stringify(sorted(JSON.parse(body)));
  return `${method} ${decodeURIComponent(place)} ${JSON.stringify(parameters)} ${content}`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Endpoints that a client asks by itself, once. */
const OWN = /client\/(?:config|dynamic_config)|create_session|session_heartbeat/;

/** Makes all calls, and gives what differs, by step. */
async function replay(version: Version): Promise<ReadonlyMap<string, string>> {
  const { steps, exchanges } = readRecording(version);
  const found = new Map<string, string>();
  const { stub, service, clock, logger } = await openService();
  stub.forget();
  stub.on("client/config", () => (version === "0.4.1" ? { status: 404 } : { body: {} }));
  stub.on("client/dynamic_config", () => ({ status: 404 }));
  const ofProject = new ServiceClient({ baseUrl: stub.url, env: {}, clock, logger, projectId: "proj-9" });
  onTestFinished(() => ofProject.close());
  for (const step of steps) {
    stub.requests.length = 0;
    const left = exchanges.filter((each) => each.step === step.id && !OWN.test(each.request.path));
    const theirs = left.map(({ request }) =>
      sentOf(
        request.method,
        `${request.path}?${request.query}`.replace("/api/v1/", ""),
        request.body_text ?? "",
      ),
    );
    stub.fallback = () => {
      const exchange = left.shift();
      if (exchange === undefined) return { status: 404, body: { detail: "not recorded" } };
      const { status, headers, body_text: body = "" } = exchange.response;
      const { location, expires, "x-should-retry": retry } = headers;
      const kept = Object.entries({ location, expires, "x-should-retry": retry }).filter(
        ([, value]) => value !== undefined,
      );
      return { status, body, headers: Object.fromEntries(kept) as Record<string, string> };
    };
    let outcome: { readonly value?: unknown; readonly error?: unknown } = {};
    try {
      const call = play(step, step.call === "service.copyWeights" ? ofProject : service);
      if (call === undefined) continue;
      outcome = { value: await throughSleeps(clock, call) };
    } catch (error) {
      outcome = { error };
    }
    const ours = stub.requests
      .filter(({ path }) => !OWN.test(path))
      .map((request) => sentOf(request.method, request.rawPath, request.body.toString()));
    const fault = endFault(step, outcome, clock.now());
    if (fault !== undefined) found.set(step.id, `${step.call} ${fault}`);
    if (JSON.stringify(ours) !== JSON.stringify(theirs))
      found.set(step.id, `${step.call} sends ${ours} where theirs is ${theirs}`);
  }
  return found;
}

/** Errors that stand for those of the official SDK. */
const ERRORS: Readonly<Record<string, new (...args: never[]) => Error>> = {
  ValueError: ValidationError,
  ValidationError,
  NotFoundError: ApiStatusError,
};

function endFault(
  { result, error, call }: Step,
  outcome: { readonly value?: unknown; readonly error?: unknown },
  nowMs: number,
): string | undefined {
  if (error !== undefined) {
    const expected = ERRORS[error.class] ?? (call === "rest.whoami" ? UnsupportedByServerError : Error);
    return outcome.error instanceof expected
      ? undefined
      : `ends with ${String(outcome.error)} where theirs is ${error.class}`;
  }
  if (outcome.error !== undefined) return `fails with ${String(outcome.error)}`;
  if (call.includes("ArchiveUrl")) return archiveFault(result, outcome.value, nowMs);
  const [ours, theirs] = [comparable(outcome.value ?? null), comparable(result)];
  return holds(ours, theirs)
    ? undefined
    : `gives ${JSON.stringify(ours)} where theirs is ${JSON.stringify(theirs)}`;
}

/** Tells whether a value has all of another; we keep fields that the official SDK of the time drops. */
function holds(value: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return value === part;
  if (typeof value !== "object" || value === null) return false;
  if (
    Array.isArray(part) !== Array.isArray(value) ||
    (Array.isArray(value) && value.length !== Object.keys(part).length)
  )
    return false;
  return Object.entries(part).every(([name, each]) => holds(Reflect.get(value, name), each));
}

function archiveFault(result: unknown, value: unknown, nowMs: number): string | undefined {
  const theirs = result as { readonly url: string; readonly expires: unknown };
  const ours = value as { readonly url: string; readonly expiresAt: Date };
  const moment =
    theirs.expires === "now + 15 min" ? new Date(nowMs + 900_000).toISOString() : comparable(theirs.expires);
  if (ours.url === theirs.url && ours.expiresAt.toISOString() === moment) return undefined;
  return `gives ${JSON.stringify(ours)} where theirs is ${JSON.stringify(theirs)}`;
}

/** Methods that the official SDK does not have, each made of recorded ones. */
const UNRECORDED: Readonly<Record<string, string>> = {
  trainingRuns: "listTrainingRuns, page by page",
  sessions: "listSessions, page by page",
  foundSessions: "searchSessions, page by page",
  userCheckpoints: "listUserCheckpoints, page by page",
  latestCheckpoint: "listCheckpoints",
  prune: "listCheckpoints and deleteCheckpoint",
  downloadCheckpoint: "getExternalWeightsUrls or getCheckpointArchiveUrl, and requests to the store",
};

/** Methods of a class and of those that it extends. */
function methodsOf(type: { readonly prototype: object }): string[] {
  const names: string[] = [];
  for (let each: object = type.prototype; each !== Object.prototype; each = Object.getPrototypeOf(each))
    names.push(...Object.getOwnPropertyNames(each).filter((name) => name !== "constructor"));
  return names;
}

describe("REST calls", () => {
  it("are all recorded, but for those that the official SDK does not have", () => {
    const versions = ["0.4.1", "0.25.0", "0.38.0"] as const;
    const recorded = new Set(
      versions.flatMap((version) => readRecording(version).steps.map(({ call }) => call.split(".")[1])),
    );
    const methods = [...methodsOf(RestCalls), ...methodsOf(AdminCalls)];
    expect(methods.length).toBeGreaterThanOrEqual(24 + 3);
    expect(methods.filter((name) => !recorded.has(name)).sort()).toEqual(Object.keys(UNRECORDED).sort());
  });

  it.each(["0.4.1", "0.25.0", "0.38.0"] as const)(
    "clients 81, 82, 83, 84, 86: send what SDK %s was recorded to send, and give what it gave",
    async (version) => {
      const found = await replay(version);
      const listed = DIFFERENCES[version];
      expect([...found].filter(([step]) => !(step in listed))).toEqual([]);
      expect(Object.keys(listed).filter((step) => !found.has(step))).toEqual([]);
    },
  );
});
