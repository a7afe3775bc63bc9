import { isMainThread } from "node:worker_threads";

/**
 * Names the switch of what ONNX Runtime (from 1.29 on) reports of its own: without it, the first session writes a device
 * id and queued events below the home directory, a log into the temporary one, and sends them.
 */
const SWITCH = "ORT_DISABLE_TELEMETRY";

/** Environment of a process in which the runtime reports nothing. */
export const WITHOUT_TELEMETRY: Readonly<Record<string, string>> = { [SWITCH]: "1" };

/**
 * Turns the reports off for this process and the threads it starts from now on.
 *
 * @returns false where that cannot be: the runtime asks the C library for the variable, and the `process.env` of a worker
 *   thread, or of Bun, is a copy that the C library does not see
 */
export function disableTelemetry(): boolean {
  Object.assign(process.env, WITHOUT_TELEMETRY);
  return isMainThread && process.versions.bun === undefined;
}

/** Checks for the switch in this thread: a thread that an engine started has it from the process. */
export function isTelemetryDisabled(): boolean {
  return process.env[SWITCH] === WITHOUT_TELEMETRY[SWITCH];
}
