import { publicPackages, REPOSITORY } from "../packaging/public-packages.js";
import { run } from "../packaging/run.js";
import type { LocalRegistry } from "./local-registry.js";

/**
 * Publishes every packed package, as a release would.
 *
 * @throws Error with npm's words, where one is refused
 */
export async function publishAll(registry: LocalRegistry): Promise<void> {
  await Promise.all(
    publicPackages.map(async ({ name, tarball }) => {
      const { exitCode, output } = await run("npm", ["publish", tarball], {
        cwd: REPOSITORY,
        env: registry.npmEnv,
      });
      if (exitCode !== 0) throw new Error(`npm publish failed for ${name}:\n${output}`);
    }),
  );
}
