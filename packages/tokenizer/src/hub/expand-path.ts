import { homedir } from "node:os";

/** A tilde for one's own home folder, at the start of a path. */
const HOME = /^~(?=[\\/]|$)/;
const VARIABLE = /\$(?:(\w{1,255})|\{([^{}]{1,255})\})/g;

/**
 * Puts the home folder in place of a leading `~`, and values in place of `$NAME` and `${NAME}`, as Python's `expanduser` and `expandvars` do
 * with the folders of Hugging Face: programs and containers pass such settings on as they are written. Unknown names stay.
 */
export function expandPath(path: string, env: Readonly<Record<string, string | undefined>>): string {
  return path
    .replace(HOME, () => homedir())
    .replace(VARIABLE, (whole, plain?: string, braced?: string) => env[plain ?? braced ?? ""] ?? whole);
}
