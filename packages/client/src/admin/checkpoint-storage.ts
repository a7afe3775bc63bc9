import type { CurrentCheckpointStorageUsageResponse } from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { checkId } from "../rest/check-id.js";
import type { RestRequest } from "../rest/rest-request.js";

/** Checkpoints to count. */
export interface StorageOptions extends CallOptions {
  /** Those of one project. @defaultValue the whole organisation */
  readonly project_id?: string | undefined;
}

export const STORAGE_OPTIONS = { ...CALL_OPTIONS, project_id: true } as const;

/** @throws ValidationError */
export function checkStorageOptions(method: string, { project_id }: StorageOptions): void {
  if (project_id !== undefined) checkId(method, "project_id", project_id);
}

/** Reads what checkpoints take now. The service may lag one to two hours. */
export function readStorage(
  request: RestRequest,
  project_id: string | undefined,
): Promise<CurrentCheckpointStorageUsageResponse> {
  return request.ask("get_checkpoint_storage", undefined, { query: { project_id } });
}
