import { checkKnownNames, checkObject, ValidationError } from "@tinkex/base";
import {
  type BillingUsageResponse,
  checkSent,
  type GetBillingUsageRequest,
  schemaOf,
  Timestamp,
} from "@tinkex/types";
import type { RestRequest } from "../rest/rest-request.js";

/** Time to report on. Both ends stand on a full UTC hour, at most 14 days apart. */
export interface BillingWindow {
  /** Inclusive: a date, or an RFC 3339 string. */
  readonly starting_on: Date | Timestamp;
  /** Exclusive. */
  readonly ending_before: Date | Timestamp;
}

const WINDOW = { starting_on: true, ending_before: true } as const;

/** @throws ValidationError for a window that is none */
export function checkBillingWindow(method: string, window: BillingWindow): GetBillingUsageRequest {
  checkObject(
    window,
    `${method}: window`,
    '{ starting_on: "2026-07-13T00:00:00Z", ending_before: new Date() }',
  );
  checkKnownNames(window, WINDOW, method);
  const request = {
    starting_on: timestampOf(window.starting_on),
    ending_before: timestampOf(window.ending_before),
  };
  const checked = checkSent(schemaOf("GetBillingUsageRequest"), request, method);
  if (Timestamp.toDate(checked.starting_on) < Timestamp.toDate(checked.ending_before)) return checked;
  throw new ValidationError(
    `${method}: ending_before must be later than starting_on, got ${checked.ending_before} and ${checked.starting_on}`,
    { path: ["ending_before"] },
  );
}

/** Writes a date without its fraction where that is 0, as the official SDK does. */
function timestampOf(moment: unknown): unknown {
  if (!(moment instanceof Date)) return moment;
  return Number.isNaN(moment.getTime()) ? "Invalid Date" : moment.toISOString().replace(".000Z", "Z");
}

/** Reads what was used. */
export function readBillingUsage(
  request: RestRequest,
  query: GetBillingUsageRequest,
): Promise<BillingUsageResponse> {
  return request.ask("get_billing_usage", undefined, { query: { ...query } });
}
