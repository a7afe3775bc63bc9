import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { startTimer } from "@tinkex/base";
import { errorCode } from "../errors/error-code.js";
import { endGroup, endWithThisProcess, OWN_GROUP } from "./process-group.js";

/** Limits of a command's time and output. */
export interface CommandLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** End of a command: its output, or the reason why there is none. */
export type CommandEnd =
  | { readonly kind: "done"; readonly stdout: string }
  /** `how` is an exit code, a signal or the system's word. */
  | { readonly kind: "failed"; readonly how: string }
  | { readonly kind: "too_long" }
  | { readonly kind: "too_much" };

/** It reads nothing and its errors go nowhere: they may quote what it was given. */
const OPTIONS = { ...OWN_GROUP, shell: true, stdio: ["ignore", "pipe", "ignore"] } satisfies SpawnOptions;

/** Runs a shell command to its end, or to the end of its limits. All that it started has ended with it. Never throws. */
export async function runCommand(command: string, limits: CommandLimits): Promise<CommandEnd> {
  let child: ChildProcess;
  try {
    child = spawn(command, OPTIONS);
  } catch (error) {
    return { kind: "failed", how: errorCode(error) ?? "an unknown error" };
  }
  const giveUp = endWithThisProcess(child);
  const end = await watch(child, limits);
  await endGroup(child);
  giveUp();
  return end;
}

function watch(child: ChildProcess, { timeoutMs, maxBytes }: CommandLimits): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let byteLength = 0;
    const finish = (end: CommandEnd): void => {
      stopTimer();
      child.stdout?.destroy();
      resolve(end);
    };
    const stopTimer = startTimer(timeoutMs, () => finish({ kind: "too_long" }));
    child.stdout?.on("data", (piece: Buffer) => {
      byteLength += piece.byteLength;
      if (byteLength > maxBytes) finish({ kind: "too_much" });
      else pieces.push(piece);
    });
    child.on("error", (error) => finish({ kind: "failed", how: errorCode(error) ?? "an unknown error" }));
    child.on("close", (code, signal) => {
      if (code === 0) finish({ kind: "done", stdout: Buffer.concat(pieces).toString("utf8") });
      else finish({ kind: "failed", how: String(code ?? signal) });
    });
  });
}
