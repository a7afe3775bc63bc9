import type { IncomingMessage } from "node:http";
import send from "@fastify/send";
import type { FastifyReply } from "fastify";
import { RequestRefusal } from "../errors/request-refusal.js";

/** A file of a folder, which the caller has found there by this name. */
export interface FileToSend {
  readonly directory: string;
  readonly name: string;
  /** Allows caches to keep it. @defaultValue true */
  readonly mayBeCached?: boolean;
}

/** Refusal of a file that is not there. */
export function fileRefusal(name: string): RequestRefusal {
  return new RequestRefusal(404, `there is no file "${name}" here: ask anew for what there is`);
}

/** Reasons for which a file is not sent, by their status. */
const REASONS: Readonly<Record<number, (name: string) => string>> = {
  412: (name) => `"${name}" is not as the conditions of the request say: ask for it again without them`,
  416: (name) => `the part that is asked for lies behind the end of "${name}": ask for all of it`,
};

/**
 * Sends a file, or the part of it that the request asks for.
 *
 * @throws RequestRefusal 412 where a condition of the request does not hold, 416 for a part that is not there, 404 for a file that
 *   is not, or has gone meanwhile
 */
export async function sendFile(
  request: IncomingMessage,
  reply: FastifyReply,
  { directory, name, mayBeCached = true }: FileToSend,
): Promise<FastifyReply> {
  const sent = await send(request, encodeURIComponent(name), {
    root: directory,
    index: false,
    cacheControl: mayBeCached,
  });
  if (sent.type === "file") return reply.code(sent.statusCode).headers(sent.headers).send(sent.stream);
  const reason = REASONS[sent.statusCode];
  if (reason === undefined) throw fileRefusal(name);
  const range = sent.headers["Content-Range"];
  throw new RequestRefusal(
    sent.statusCode,
    reason(name),
    range === undefined ? {} : { "content-range": String(range) },
  );
}
