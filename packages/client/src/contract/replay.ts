import { isDeepStrictEqual } from "node:util";
import { ourEnd, recordedSent, type Sent, sentOf, theirEnd } from "./comparable.js";
import { Player } from "./player.js";
import { AT_DEFAULT, UNUSED_NUMBERS } from "./recorded-fields.js";
import type { Recording } from "./recording.js";
import { type ArrivedRequest, ReplayServer } from "./replay-server.js";

/** Something that only one side did in a step, or that ended otherwise. */
export interface Found {
  readonly kind: "added" | "left" | "ends";
  readonly step: string;
  /** Method and path of a request; or a word on the end of our step, or the fields in which the results differ. */
  readonly what: string;
  readonly detail: string;
}

/** A replay: what our client did otherwise than the official SDK, and all that it sent. */
export interface Replay {
  readonly found: readonly Found[];
  readonly arrived: readonly ArrivedRequest[];
}

/** Makes the calls of a recording against a server that gives the recorded answers, and compares requests and results. */
export async function replay(recording: Recording): Promise<Replay> {
  const server = await ReplayServer.start(recording);
  const player = new Player(server.url, recording);
  const found: Found[] = [];
  try {
    for (const step of recording.steps) {
      server.step = step.group ?? step.id;
      const outcome = await player.play(step);
      if (outcome === undefined) continue;
      const [ours, theirs] = [ourEnd(outcome, step), theirEnd(step)];
      const paths = differingPaths(ours, theirs);
      if (paths.length === 0) continue;
      const what = typeof ours === "string" || typeof theirs === "string" ? wordOf(ours) : paths.join(", ");
      const detail = `${String(outcome.error)}: ${JSON.stringify(ours)} where theirs is ${JSON.stringify(theirs)}`;
      found.push({ kind: "ends", step: step.id, what, detail });
    }
    const arrived = [...server.arrived];
    server.step = "";
    return { found: [...found, ...compareRequests(recording, arrived)], arrived: server.arrived };
  } finally {
    await player.close();
    await server.close();
  }
}

/** Polls for all samples, whose number and division depend on the moment. */
const UNORDERED = "/retrieve_futures";

function compareRequests(recording: Recording, arrived: readonly ArrivedRequest[]): Found[] {
  const steps = [...new Set(recording.steps.map(({ id, group }) => group ?? id))];
  const left = new Map<string, Sent[]>();
  for (const exchange of recording.exchanges) {
    if (exchange.request.path.endsWith(UNORDERED)) continue;
    left.set(exchange.step, [
      ...(left.get(exchange.step) ?? []),
      asOursWould(recordedSent(exchange), recording),
    ]);
  }
  const added = arrived.flatMap(({ step, ...request }) => {
    if (request.path.endsWith(UNORDERED)) return [];
    const sent = sentOf(hasMethod(recording, request) ? request : withoutMethod(request));
    return take(left.get(step), sent) ? [] : [{ step, sent }];
  });
  // Reads may come in another step, and results may still be fetched then.
  const isMoved = ({ request }: Sent) =>
    request.startsWith("GET ") || MOVABLE.some((path) => request.endsWith(path));
  const others = added.filter(
    ({ sent }) => !(isMoved(sent) && steps.some((step) => take(left.get(step), sent))),
  );
  const foundOf = (kind: Found["kind"], step: string, sent: Sent): Found => {
    return {
      kind,
      step,
      what: sent.request.replace("?access_scope=owned", ""),
      detail: JSON.stringify(sent),
    };
  };
  return [
    ...others.map(({ step, sent }) => foundOf("added", step, sent)),
    ...steps.flatMap((step) => (left.get(step) ?? []).map((sent) => foundOf("left", step, sent))),
  ];
}

const MOVABLE = ["auth/token", "get_info", "client/config", "client/dynamic_config", "retrieve_future"];

function take(requests: Sent[] | undefined, wanted: Sent): boolean {
  const position = requests?.findIndex((sent) => isDeepStrictEqual(sent, wanted)) ?? -1;
  if (position >= 0) requests?.splice(position, 1);
  return position >= 0;
}

type Request = Pick<ArrivedRequest, "method" | "path" | "query" | "headers" | "body">;

/** Tells whether a request names its method for both sides: only 0.38 does, and ours call REST endpoints by another one. */
function hasMethod({ version }: Recording, { method, path }: Pick<Request, "method" | "path">): boolean {
  return version === "0.38.0" && method !== "GET" && !path.endsWith("/auth/token");
}

function withoutMethod(request: Request): Request {
  const { "x-sdk-method": _, ...headers } = request.headers;
  return { ...request, headers };
}

/** Gives a recorded request without fields at a default that ours leaves out, and with the number that ours has there. */
function asOursWould({ request, headers, body }: Sent, { scenario, version }: Recording): Sent {
  if (typeof body !== "object" || body === null) return { request, headers, body };
  const atDefault = AT_DEFAULT.filter(({ path }) => request.endsWith(` ${path}`));
  const kept: Record<string, unknown> = Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) =>
        !atDefault.some((field) => field.field === name && isDeepStrictEqual(field.value, value)),
    ),
  );
  const { seq_id: seqId, model_id: owner = kept.sampling_session_id } = kept;
  if (typeof seqId === "number") {
    const unused = UNUSED_NUMBERS.filter(
      (number) =>
        number.in === `${scenario} ${version}` && String(owner).endsWith(number.of) && number.seqId < seqId,
    );
    kept.seq_id = seqId - unused.length;
  }
  return { request, headers, body: kept };
}

/** Lists the places within two values where they differ. */
function differingPaths(ours: unknown, theirs: unknown, place: readonly string[] = []): string[] {
  if (isDeepStrictEqual(ours, theirs)) return [];
  if (typeof ours !== "object" || typeof theirs !== "object" || ours === null || theirs === null) {
    return [place.join(".") || "result"];
  }
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort();
  return names.flatMap((name) =>
    differingPaths(Reflect.get(ours, name), Reflect.get(theirs, name), [...place, name]),
  );
}

function wordOf(end: unknown): string {
  return typeof end === "string" ? end : "result";
}
