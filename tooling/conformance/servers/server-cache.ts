import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerKind } from "./server-kinds.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Folder that keeps what is installed and compiled for these servers: TINKEX_SERVERS, else one of the repository's. */
export const SERVER_CACHE = process.env.TINKEX_SERVERS ?? join(ROOT, ".cache", "servers");

/** Gives the Python of a server's environment. */
export function pythonOf({ environment }: Pick<ServerKind, "environment">): string {
  return join(SERVER_CACHE, environment, "bin", "python");
}
