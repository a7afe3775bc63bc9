import { mkdirSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { runServer } from "verdaccio";

/** A registry of packages on this machine. */
export interface LocalRegistry {
  /** e.g. `http://127.0.0.1:4873/` */
  readonly url: string;
  /** Makes npm install from this registry, and publish to it. */
  readonly npmEnv: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Starts an empty registry that takes packages of the given names, and asks another registry for all others.
 *
 * @param ownPackages names, or patterns such as `@tinkex/*`, of packages that come from here alone
 * @param upstream the address of the other registry
 * @param storage a folder of its own, which is emptied
 */
export async function startLocalRegistry(
  ownPackages: readonly string[],
  upstream: string,
  storage: string,
): Promise<LocalRegistry> {
  rmSync(storage, { recursive: true, force: true });
  mkdirSync(storage, { recursive: true });
  const own = ownPackages.map((name) => [name, { access: "$all", publish: "$all" }]);
  const server: Server = await runServer({
    storage,
    configPath: join(storage, "verdaccio.yaml"),
    uplinks: { upstream: { url: upstream } },
    packages: { ...Object.fromEntries(own), "**": { access: "$all", proxy: "upstream" } },
    auth: {},
    middlewares: {},
    web: { enable: false },
    log: { type: "stdout", format: "pretty", level: "error" },
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    npmEnv: {
      npm_config_registry: `http://127.0.0.1:${port}/`,
      // npm does not publish without a token; this registry takes any.
      [`npm_config_//127.0.0.1:${port}/:_authToken`]: "rehearsal",
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}
