import { checkString } from "@tinkex/base";
import { CredentialError } from "./credential-error.js";
import { type CommandEnd, runCommand } from "./run-command.js";

/** Asks for the key or token to send; asked again for every try, so a short-lived one may change. */
export interface CredentialSource {
  (): string | Promise<string>;
  /** Names where the key comes from, for messages. @defaultValue `credential` */
  readonly place?: string | undefined;
}

/** Most output of a command: no header holds as much. */
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * A source that runs a shell command and takes what it prints. Nothing that it prints is shown or logged, neither its output
 * nor its errors, which quote the key under `set -x` or `curl -v`. It reads nothing, runs in a process group of its own, and
 * all of the group ends with it: at its end, at the limit, or with this process. Whoever asks while it runs gets what that
 * run prints: hundreds of requests that begin together start one process.
 *
 * @param timeoutMs - limit of one run, in milliseconds; who ignores SIGTERM is killed half a second later. @defaultValue 30000
 * @returns a source that throws CredentialError when the command fails, prints nothing, or takes too long
 */
export function credentialCommand(command: string, timeoutMs = 30_000): CredentialSource {
  checkString(command, "credentialCommand: command", "pass show tinker");
  let running: Promise<string> | undefined;
  const run = async (): Promise<string> =>
    credentialOf(await runCommand(command, { timeoutMs, maxBytes: MAX_OUTPUT_BYTES }), timeoutMs);
  const source = (): Promise<string> => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
  return Object.assign(source, { place: "TINKER_CREDENTIAL_CMD" });
}

function credentialOf(end: CommandEnd, timeoutMs: number): string {
  const credential = end.kind === "done" ? end.stdout.trim() : "";
  if (credential !== "") return credential;
  throw new CredentialError(
    `the credential command (TINKER_CREDENTIAL_CMD) ${faultOf(end, timeoutMs)}; run it in a terminal to see why`,
  );
}

function faultOf(end: CommandEnd, timeoutMs: number): string {
  if (end.kind === "failed") return `failed with ${end.how}`;
  if (end.kind === "too_long") return `took longer than ${timeoutMs} ms`;
  return end.kind === "too_much" ? `printed more than ${MAX_OUTPUT_BYTES} bytes` : "printed nothing";
}
