import { request as send } from "node:http";
import type { AnswerMove, HeaderValues } from "../script/move.js";
import type { SeenRequest } from "../seen-request.js";

/** Headers that are about one connection; the body is passed on whole, so its length is known. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "transfer-encoding",
]);

/** Sends a request to a port of this machine. @returns its answer @throws when there is none */
export function passOn({ method, path, headers, body }: SeenRequest, port: number): Promise<AnswerMove> {
  return new Promise((resolve, reject) => {
    const length = { "content-length": String(body.byteLength) };
    const sent = send(
      { host: "127.0.0.1", port, method, path, headers: { ...ownHeaders(headers), ...length } },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("error", reject);
        answer.on("end", () =>
          resolve(moveOf(answer.statusCode ?? 502, answer.headers, Buffer.concat(pieces))),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function moveOf(
  status: number,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: Buffer,
): AnswerMove {
  return {
    do: "answer",
    status,
    headers: { ...ownHeaders(headers), "content-length": String(body.byteLength) },
    body,
  };
}

function ownHeaders(headers: Readonly<Record<string, string | readonly string[] | undefined>>): HeaderValues {
  const own: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !OF_THE_CONNECTION.has(name)) own[name] = value;
  }
  return own;
}
