import { checkString, ValidationError } from "@tinkex/base";
import { type CheckpointPath, checkSent, schemaOf } from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import type { RestRequest } from "./rest-request.js";

/** Options of copying weights into the project of a service client. */
export interface CopyOptions extends CallOptions {
  /** Seconds until the copy is deleted, 3,600 to ten years. @defaultValue never */
  readonly ttl_seconds?: number | undefined;
  /** A secret that the owner of the weights gave out. */
  readonly weights_access_token?: string | undefined;
}

/** Options of copying weights. */
export interface CopyWeightsOptions extends CopyOptions {
  /** Project that the copy goes to. @defaultValue the client's `projectId`, or `TINKER_PROJECT_ID` */
  readonly destination_project_id?: string | undefined;
}

export const COPY_OPTIONS = { ...CALL_OPTIONS, ttl_seconds: true, weights_access_token: true } as const;
export const COPY_WEIGHTS_OPTIONS = { ...COPY_OPTIONS, destination_project_id: true } as const;

/** The record of a copy but for its source, checked. */
export interface CheckedCopy {
  readonly destination_project_id: string;
  readonly ttl_seconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws ValidationError when there is no project, or an option is of the wrong kind */
export function checkCopy(
  method: string,
  options: CopyWeightsOptions,
  projectId: string | undefined,
): CheckedCopy {
  const { destination_project_id = projectId, ttl_seconds, weights_access_token: token } = options;
  if (destination_project_id === undefined || destination_project_id === "") {
    throw new ValidationError(
      `${method}: there is no project to copy to; give destination_project_id, make the client with projectId, or set TINKER_PROJECT_ID`,
      { path: ["destination_project_id"] },
    );
  }
  const record = { destination_project_id, source_path: "tinker://", ttl_seconds };
  checkSent(schemaOf("CopyWeightsRequest"), record, method);
  if (token !== undefined) checkString(token, `${method}: weights_access_token`);
  // In a header, and not in the body, which may be logged.
  const headers = token === undefined ? {} : { "x-tinker-weights-access-token": token };
  return { destination_project_id, ttl_seconds, headers };
}

/** Copies weights to a project. Nothing is stored twice. @returns the path of the copy */
export async function copyWeights(
  request: RestRequest,
  { tinker_path: source_path }: CheckpointPath,
  { headers, ...copy }: CheckedCopy,
): Promise<string> {
  const { tinker_path } = await request.ask("copy_weights", { source_path, ...copy }, { headers });
  request.logger.info(`${request.method}: copied ${source_path} to ${tinker_path}`);
  return tinker_path;
}
