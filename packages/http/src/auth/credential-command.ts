import { execFile } from "node:child_process";
import { CredentialError } from "./credential-error.js";

/** Asks for the key or token to send; asked again for every try, so a short-lived one may change. */
export type CredentialSource = () => string | Promise<string>;

/** Longest part of a failed command's own words that is shown, in characters. */
const MOST_STDERR = 1024;

/**
 * A source that runs a shell command and takes what it prints. What it prints is never logged, also when it fails. Whoever
 * asks while it runs gets what that run prints: hundreds of requests that begin together start one process.
 *
 * @param timeoutMs - limit of one run, in milliseconds
 */
export function credentialCommand(command: string, timeoutMs = 30_000): CredentialSource {
  let running: Promise<string> | undefined;
  const run = (): Promise<string> =>
    new Promise<string>((resolve, reject) => {
      const options = { shell: true, timeout: timeoutMs, windowsHide: true };
      const child = execFile(command, [], options, (error, stdout, stderr) => {
        const fail = (what: string): void =>
          reject(new CredentialError(`the credential command (TINKER_CREDENTIAL_CMD) ${what}`));
        if (error?.killed) return fail(`took longer than ${timeoutMs} ms`);
        if (error !== null) {
          const said = stderr.trim().slice(0, MOST_STDERR);
          return fail(`failed with ${error.code ?? error.signal}${said === "" ? "" : `: ${said}`}`);
        }
        const credential = stdout.trim();
        if (credential === "") return fail("printed nothing");
        resolve(credential);
      });
      child.stdin?.end();
    }).finally(() => {
      running = undefined;
    });
  return () => {
    running ??= run();
    return running;
  };
}
