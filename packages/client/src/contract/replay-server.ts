import type { SeenRequest } from "../testing/stub-service.js";
import { StubService } from "../testing/stub-service.js";
import type { Exchange, RecordedBody, Recording } from "./recording.js";

/**
 * Gives the recorded answers: of each path in the recorded order, of polls by the operation they ask for. What was never recorded
 * is refused the way a server of that time refuses what it does not know.
 */
export async function startReplay(recording: Recording): Promise<StubService> {
  const service = await StubService.start();
  service.forget();
  const left = new Map<string, Exchange[]>();
  for (const exchange of recording.exchanges) {
    const path = exchange.path.replace("/api/v1/", "");
    left.set(path, [...(left.get(path) ?? []), exchange]);
  }
  for (const [path, exchanges] of left) {
    service.on(path, (request) => {
      const exchange =
        path === "retrieve_future" ? pollOf(exchanges, request) : takeFitting(exchanges, request);
      if (exchange === undefined)
        return { status: 422, body: { detail: "this form of the request is not known" } };
      const { status, response } = exchange;
      return { status, body: bytesOf(response) ?? response.json };
    });
  }
  return service;
}

function pollOf(exchanges: readonly Exchange[], { json }: SeenRequest): Exchange | undefined {
  return exchanges.find(({ request }) => requestId(request.json) === json?.request_id);
}

function requestId(json: unknown): unknown {
  return typeof json === "object" && json !== null && "request_id" in json ? json.request_id : undefined;
}

/** The next exchange of the path. A load that makes its model is known only to a server that was recorded with one. */
function takeFitting(exchanges: Exchange[], { json, path }: SeenRequest): Exchange | undefined {
  const [next] = exchanges;
  // Requests that may come as often as one likes.
  if (["client/config", "client/dynamic_config", "get_info"].includes(path)) return next;
  const makesModel = (record: unknown): boolean =>
    typeof record === "object" && record !== null && "model_seq_id" in record;
  if (path === "load_weights" && makesModel(json) && !makesModel(next?.request.json)) return undefined;
  return exchanges.shift();
}

function bytesOf({ base64 }: RecordedBody): Buffer | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}
