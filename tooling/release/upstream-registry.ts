import { REPOSITORY } from "../packaging/public-packages.js";
import { run } from "../packaging/run.js";

/** A small package that an install needs anyway. */
const PROBE = "zod";

/**
 * Gives the address of the registry that npm is set up with.
 *
 * @throws Error in one line, without the address, where it does not answer
 */
export async function upstreamRegistry(): Promise<string> {
  const { output } = await run("npm", ["config", "get", "registry", "--loglevel=error"], {
    cwd: REPOSITORY,
  });
  const probe = await run("npm", ["view", PROBE, "version", "--fetch-retries=1", "--fetch-timeout=15000"], {
    cwd: REPOSITORY,
    timeoutMs: 60_000,
  });
  if (probe.exitCode === 0) return output.trim();
  const [, code = "no answer"] = /npm error code (\w+)/.exec(probe.output) ?? [];
  throw new Error(
    `the release cannot be rehearsed: the registry that \`npm config get registry\` names was not reached (${code})`,
  );
}
