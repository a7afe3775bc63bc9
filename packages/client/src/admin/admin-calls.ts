import type {
  AuditLogResponse,
  BillingUsageResponse,
  CurrentCheckpointStorageUsageResponse,
} from "@tinkex/types";
import type { ApiFuture } from "../future/api-future.js";
import type { CallOptions } from "../inputs/call-options.js";
import type { RestContext } from "../rest/rest-context.js";
import { startRest } from "../rest/rest-request.js";
import { AUDIT_LOG_OPTIONS, type AuditLogOptions, checkAuditLog, readAuditLog } from "./audit-log.js";
import { type BillingWindow, checkBillingWindow, readBillingUsage } from "./billing-usage.js";
import {
  checkStorageOptions,
  readStorage,
  STORAGE_OPTIONS,
  type StorageOptions,
} from "./checkpoint-storage.js";

/** Calls of an organisation's administrators: what was used, what it costs, what was done. They need no session. */
export class AdminCalls {
  readonly #context: RestContext;

  /** @internal */
  constructor(context: RestContext) {
    this.#context = context;
  }

  /**
   * Gives what was used, hour by hour. Money is an estimate in gross US dollars (`estimated_cost_usd`), storage in `gigabyte_hours`.
   *
   * @param window - both ends on a full UTC hour, at most 14 days apart; dates, or RFC 3339 strings
   *
   * @example
   * const { data } = await service.admin.getBillingUsage({ starting_on: "2026-07-13T00:00:00Z", ending_before: new Date() });
   */
  getBillingUsage(window: BillingWindow, options: CallOptions = {}): ApiFuture<BillingUsageResponse> {
    this.#context.lifecycle.checkCall("getBillingUsage", options);
    const query = checkBillingWindow("getBillingUsage", window);
    return startRest(this.#context, "getBillingUsage", options, (request) =>
      readBillingUsage(request, query),
    );
  }

  /** Gives what the checkpoints of the organisation, or of one project, take now: `size_bytes`, `estimated_monthly_cost_usd`. */
  getCurrentCheckpointStorageUsage(
    options: StorageOptions = {},
  ): ApiFuture<CurrentCheckpointStorageUsageResponse> {
    this.#context.lifecycle.checkCall("getCurrentCheckpointStorageUsage", options, STORAGE_OPTIONS);
    checkStorageOptions("getCurrentCheckpointStorageUsage", options);
    return startRest(this.#context, "getCurrentCheckpointStorageUsage", options, (request) =>
      readStorage(request, options.project_id),
    );
  }

  /** Gives entries of the audit log. Needs the role of an administrator. */
  getAuditLog(options: AuditLogOptions = {}): ApiFuture<AuditLogResponse> {
    this.#context.lifecycle.checkCall("getAuditLog", options, AUDIT_LOG_OPTIONS);
    const query = checkAuditLog("getAuditLog", options);
    return startRest(this.#context, "getAuditLog", options, (request) => readAuditLog(request, query));
  }
}
