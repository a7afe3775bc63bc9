import { readdir } from "node:fs/promises";
import send from "@fastify/send";
import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { checkpointUri } from "../../disk/checkpoint-record.js";
import { CHECKPOINT_FILE } from "../../disk/data-layout.js";
import { resolveCheckpoint } from "../../disk/resolve-checkpoint.js";
import { RequestRefusal } from "../../errors/request-refusal.js";
import type { ServerState } from "../../registries/server-state.js";
import { readBody } from "../../requests/request-body.js";
import { on } from "../on-endpoint.js";
import { type CheckpointFile, FILES_PATH, SignedFiles } from "../signed-files.js";

const signatureQuery = z.object({ expires: z.coerce.number().int(), signature: z.string() });

/** Endpoints that tell and serve the files of exports. @param prefix - of the API, e.g. `/api/v1` */
export function addFileRoutes(api: FastifyInstance, state: ServerState, prefix: string): void {
  const signed = new SignedFiles(state.clock);

  on(api, "get_external_weights_urls", async (_, { parameters: { run, name }, host }) => {
    const path = checkpointUri({ training_run_id: run, kind: "external_weights", name });
    const checkpoint = await resolveCheckpoint(state.checkpoints, path, ["external_weights"]);
    const names = (await readdir(state.checkpoints.directory(checkpoint))).filter(
      (file) => file !== CHECKPOINT_FILE,
    );
    const { paths, expires } = signed.sign(
      names.map((file) => ({ run, kind: "external_weights", name, file })),
    );
    const urls = names.map((file, index) => [file, `http://${host}${prefix}${paths[index]}`] as const);
    return { urls: Object.fromEntries(urls), expires };
  });

  api.get<{ Params: CheckpointFile }>(`${FILES_PATH}/:run/:kind/:name/:file`, async (request, reply) => {
    const { run, kind, name, file } = request.params;
    signed.check({ run, kind, name, file }, readBody(signatureQuery, request.query, "query"));
    const checkpoint = await resolveCheckpoint(state.checkpoints, `tinker://${run}/${kind}/${name}`);
    const sent = await send(request.raw, encodeURIComponent(file), {
      root: state.checkpoints.directory(checkpoint),
      index: false,
      cacheControl: false,
    });
    if (sent.type === "error") throw new RequestRefusal(404, `there is no file "${file}" in this checkpoint`);
    return reply.code(sent.statusCode).headers(sent.headers).send(sent.stream);
  });
}
