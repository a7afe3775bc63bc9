import type { FastifyInstance, FastifyReply } from "fastify";
import * as z from "zod";
import { type CheckpointRecord, checkpointUri } from "../../disk/checkpoint-record.js";
import { checkpointFiles, openCheckpoint } from "../../disk/open-checkpoint.js";
import { resolveCheckpoint } from "../../disk/resolve-checkpoint.js";
import { RequestRefusal } from "../../errors/request-refusal.js";
import { isFileError } from "../../files/is-file-error.js";
import { traceFile } from "../../operations/trace-file.js";
import type { ServerState } from "../../registries/server-state.js";
import { readBody } from "../../requests/request-body.js";
import { readRange } from "../byte-range.js";
import { CheckpointArchive } from "../checkpoint-archive.js";
import { on, onUnread } from "../on-endpoint.js";
import { fileRefusal, sendFile } from "../send-file.js";
import { FILES_PATH, type SignedFiles } from "../signed-files.js";

const signatureQuery = z.object({ expires: z.coerce.number().int(), signature: z.string() });

interface CheckpointParts {
  readonly run: string;
  readonly kind: string;
  readonly name: string;
}

/** Endpoints that tell where the files of checkpoints and the timelines of sessions are, and serve them. @param prefix - of the API, e.g. `/api/v1` */
export function addFileRoutes(
  api: FastifyInstance,
  state: ServerState,
  { signed, prefix }: { readonly signed: SignedFiles; readonly prefix: string },
): void {
  const find = ({ run, kind, name }: CheckpointParts): Promise<CheckpointRecord> =>
    resolveCheckpoint(state.checkpoints, `tinker://${run}/${kind}/${name}`);

  on(api, "get_external_weights_urls", async (_, { parameters: { run, name }, host }) => {
    const path = checkpointUri({ training_run_id: run, kind: "external_weights", name });
    const checkpoint = await resolveCheckpoint(state.checkpoints, path, ["external_weights"]);
    const names = await checkpointFiles(state.checkpoints.directory(checkpoint));
    const { paths, expires } = signed.sign(names.map((file) => [run, "external_weights", name, file]));
    const urls = names.map((file, index) => [file, `http://${host}${prefix}${paths[index]}`] as const);
    return { urls: Object.fromEntries(urls), expires };
  });

  // A redirect, which clients of every generation understand; 0.4 takes no other answer.
  onUnread(api, "get_checkpoint_archive", async ({ parameters, host }, reply) => {
    const { training_run_id: run, kind, name } = await find(parameters);
    const { paths, expires } = signed.sign([[run, kind, name]]);
    return reply
      .code(302)
      .header("location", `http://${host}${prefix}${paths[0]}`)
      .header("expires", new Date(expires).toUTCString())
      .send();
  });

  // It is written when it is fetched, and so always ready.
  on(api, "get_trace_export", (_, { parameters: { session }, host }) => {
    const { id } = state.sessions.look(session);
    const { paths } = signed.sign([["traces", id]]);
    return { status: "ready", url: `http://${host}${prefix}${paths[0]}` };
  });

  api.get<{ Params: { readonly session: string } }>(
    `${FILES_PATH}/traces/:session`,
    async ({ params: { session }, query }, reply) => {
      signed.check(["traces", session], readBody(signatureQuery, query, "query"));
      const { id } = state.sessions.look(session);
      return reply.type("application/json").send(traceFile(id, state.sessions.timeline.of(id)));
    },
  );

  api.get<{ Params: CheckpointParts & { readonly file: string } }>(
    `${FILES_PATH}/:run/:kind/:name/:file`,
    async ({ params, query, raw }, reply) => {
      const { run, kind, name, file } = params;
      signed.check([run, kind, name, file], readBody(signatureQuery, query, "query"));
      const directory = state.checkpoints.directory(await find(params));
      if (!(await filesOf(directory)).includes(file)) throw fileRefusal(file);
      return sendFile(raw, reply, { directory, name: file, mayBeCached: false });
    },
  );

  api.get<{ Params: CheckpointParts }>(
    `${FILES_PATH}/:run/:kind/:name`,
    { exposeHeadRoute: false },
    async ({ params, query, headers }, reply) => {
      const { run, kind, name } = params;
      signed.check([run, kind, name], readBody(signatureQuery, query, "query"));
      const checkpoint = await openCheckpoint(state.checkpoints, `tinker://${run}/${kind}/${name}`);
      return sendArchive(reply, new CheckpointArchive(checkpoint), headers);
    },
  );
}

/** Sends an archive, or the rest of it to one who has its beginning: a changed one is sent from its own beginning. */
function sendArchive(
  reply: FastifyReply,
  archive: CheckpointArchive,
  {
    range: wanted,
    "if-range": condition,
  }: { readonly range?: string | undefined; readonly "if-range"?: string | undefined },
): FastifyReply {
  const { byteLength: size, etag } = archive;
  const range = condition === undefined || condition === etag ? readRange(wanted, size) : undefined;
  void reply.headers({ "accept-ranges": "bytes", etag });
  if (range === "unsatisfiable") {
    void archive.close();
    throw new RequestRefusal(416, `the archive has ${size} bytes, got ${wanted}`, {
      "content-range": `bytes */${size}`,
    });
  }
  const { start, end } = range ?? { start: 0, end: size };
  return reply
    .code(range === undefined ? 200 : 206)
    .headers({
      "content-type": "application/x-tar",
      "content-length": end - start,
      ...(range !== undefined && { "content-range": `bytes ${start}-${end - 1}/${size}` }),
    })
    .send(archive.stream(start, end));
}

async function filesOf(directory: string): Promise<readonly string[]> {
  try {
    return await checkpointFiles(directory);
  } catch (error) {
    if (isFileError(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
