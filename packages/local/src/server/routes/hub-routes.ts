import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply } from "fastify";
import { OperationFailure } from "../../errors/operation-failure.js";
import type { ServerState } from "../../registries/server-state.js";
import { sendFile } from "../send-file.js";

interface Repository {
  readonly owner: string;
  readonly model: string;
}

/** A file of a served model's directory. */
interface ModelFile {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
}

/**
 * Read-only part of the Hugging Face hub for the models that are served, so that `HF_ENDPOINT=<url of the server>` makes
 * `AutoTokenizer`, `huggingface_hub` and this project's own tokenizers find them: files, and what there is.
 */
export function addHubRoutes(app: FastifyInstance, state: ServerState): void {
  app.get<{ Params: Repository & { "*": string } }>(
    "/:owner/:model/resolve/:revision/*",
    async ({ raw, params }, reply) => {
      const directory = findDirectory(state, params);
      if (directory === undefined) return refuse(reply, "RepoNotFound");
      void reply.header("x-repo-commit", await commitOf(directory));
      const file = (await filesOf(directory)).find(({ path }) => path === params["*"]);
      if (file === undefined) return refuse(reply, "EntryNotFound");
      return sendFile(raw, reply, { directory, name: file.path });
    },
  );

  for (const path of ["/api/models/:owner/:model", "/api/models/:owner/:model/revision/:revision"]) {
    app.get<{ Params: Repository }>(path, async ({ params }, reply) => {
      const directory = findDirectory(state, params);
      if (directory === undefined) return refuse(reply, "RepoNotFound");
      const id = `${params.owner}/${params.model}`;
      const siblings = (await filesOf(directory)).map(({ path: rfilename }) => ({ rfilename }));
      return {
        id,
        modelId: id,
        sha: await commitOf(directory),
        private: false,
        gated: false,
        tags: [],
        siblings,
      };
    });
  }

  app.get<{ Params: Repository & { "*": string } }>(
    "/api/models/:owner/:model/tree/:revision/*",
    async ({ params }, reply) =>
      refuse(reply, findDirectory(state, params) ? "EntryNotFound" : "RepoNotFound"),
  );
  app.get<{ Params: Repository }>("/api/models/:owner/:model/tree/:revision", async ({ params }, reply) => {
    const directory = findDirectory(state, params);
    if (directory === undefined) return refuse(reply, "RepoNotFound");
    const files = await filesOf(directory);
    return files.map(({ path, size, modifiedMs }) => ({
      type: "file",
      path,
      size,
      oid: digest([path, size, modifiedMs]),
    }));
  });
}

/** Directory of a served model, or of the one that stands in for it. */
function findDirectory(state: ServerState, { owner, model }: Repository): string | undefined {
  try {
    return state.engines.find(`${owner}/${model}`).model.directory;
  } catch (error) {
    if (error instanceof OperationFailure) return undefined;
    throw error;
  }
}

/**
 * The regular files of a model, which has no folders. Links to files are files: in the hub's own cache a model is made of them. A link
 * that leads nowhere is none. Hidden files are left out: they belong to whoever made the directory.
 */
async function filesOf(directory: string): Promise<ModelFile[]> {
  const names = (await readdir(directory)).filter((name) => !name.startsWith(".")).sort();
  const files = await Promise.all(
    names.map(async (path): Promise<ModelFile | undefined> => {
      const found = await stat(join(directory, path)).catch(() => undefined);
      return found?.isFile() ? { path, size: found.size, modifiedMs: found.mtimeMs } : undefined;
    }),
  );
  return files.filter((file) => file !== undefined);
}

/** A revision by the form of a commit's: it changes when a file does. */
async function commitOf(directory: string): Promise<string> {
  return digest(await filesOf(directory));
}

function digest(value: unknown): string {
  return createHash("sha1").update(JSON.stringify(value)).digest("hex");
}

/** Refuses as the hub does: its clients read the reason from a header. */
function refuse(reply: FastifyReply, code: "RepoNotFound" | "EntryNotFound"): FastifyReply {
  const detail = code === "RepoNotFound" ? "this server does not serve that model" : "there is no such file";
  return reply.code(404).header("x-error-code", code).header("x-error-message", detail).send({ detail });
}
