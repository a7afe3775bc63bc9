import { TinkexError } from "@tinkex/base";
import type { EndpointName } from "@tinkex/types/endpoints";
import { CANARY_PROMPT, witness } from "@tinkex-tooling/canary";
import { CALL_HEADER } from "@tinkex-tooling/hostile-server";
import { multipartBody } from "../../body/multipart-body.js";
import type { RequestBody } from "../../body/streamed-body.js";
import { OPERATIONS } from "../../operations/operations.js";
import type { TinkexCall, TinkexTransport } from "../../tinkex-transport.js";
import { json, text } from "../test-transport.js";

/** Calls that are made one after the other; lanes run side by side. */
const LANES = 40;
/** Shares of the calls that are aborted soon, and that meet a silent server with a limit of their own. */
const IMPATIENT = 0.03;
const STALLED = 0.02;
/** Share of the bodies that come in pieces. */
const STREAMED = 0.1;
/** Header that asks the server for one of the stalls. */
export const STALL_HEADER = "x-campaign-stall";

/** Outcome of one call. */
export interface CallReport {
  /** `lane:place`, the value of the header that the server keeps book by. */
  readonly call: string;
  readonly lane: number;
  readonly operation: EndpointName;
  /** `succeeded`, or the code of its error. */
  readonly outcome: string;
  /** Says that the answer was that of another call. */
  readonly isMixedUp: boolean;
}

/** Methods with which the API takes bodies. */
const CARRIES_BODY: ReadonlySet<string> = new Set(["POST", "PUT"]);
const NAMES = Object.keys(OPERATIONS) as EndpointName[];

/** Makes so many calls of all rows of the table, and tells how each went. Errors of the campaign itself are thrown. */
export async function runCampaign(
  transport: TinkexTransport,
  calls: number,
  random: () => number,
  signal: AbortSignal,
): Promise<CallReport[]> {
  const reports: CallReport[] = [];
  let begun = 0;
  const runLane = async (lane: number): Promise<void> => {
    for (let place = 0; begun < calls; place += 1) {
      // The first calls walk the table, so that every row has its turn however few the calls are.
      const operation =
        NAMES[begun < NAMES.length ? begun : Math.floor(random() * NAMES.length)] ?? "healthz";
      begun += 1;
      reports.push(await runCall(transport, `${lane}:${place}`, lane, operation, random, signal));
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, lane) => runLane(lane)));
  return reports;
}

async function runCall(
  transport: TinkexTransport,
  call: string,
  lane: number,
  operation: EndpointName,
  random: () => number,
  signal: AbortSignal,
): Promise<CallReport> {
  const own = new AbortController();
  const kind = random();
  const isImpatient = kind < IMPATIENT;
  const isStalled = !isImpatient && kind < IMPATIENT + STALLED;
  const timer = isImpatient ? setTimeout(() => own.abort("no longer wanted"), random() * 10) : undefined;
  const request: TinkexCall = {
    operation,
    pathParameters: pathParameters(operation),
    headers: { [CALL_HEADER]: call, ...(isStalled ? { [STALL_HEADER]: "yes" } : {}) },
    signal: isImpatient ? own.signal : signal,
    ...(isStalled ? { timeoutMs: 150 } : {}),
    ...(CARRIES_BODY.has(OPERATIONS[operation].method)
      ? { body: requestBody({ call, prompt: CANARY_PROMPT.repeat(random() * 50) }, random) }
      : {}),
  };
  try {
    const response = await transport.call(request);
    const { echo } = JSON.parse(text(response.body));
    return { call, lane, operation, outcome: "succeeded", isMixedUp: echo !== call };
  } catch (error) {
    witness("error", error);
    if (!TinkexError.isInstance(error)) throw error;
    return { call, lane, operation, outcome: error.code, isMixedUp: false };
  } finally {
    clearTimeout(timer);
  }
}

function requestBody(value: object, random: () => number): RequestBody {
  return random() < STREAMED
    ? multipartBody({ files: [{ name: "file", content: json(value) }] })
    : json(value);
}

function pathParameters(operation: EndpointName): Record<string, string> {
  const names = [...OPERATIONS[operation].path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return Object.fromEntries(names.map((name) => [name, `a ${name}`]));
}
