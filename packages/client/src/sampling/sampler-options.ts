import { checkKnownNames, describeKind, describeValue, ValidationError } from "@tinkex/base";

/** Limits on making samples again that failed without fault of their own: forgotten by the service, or not to be reached. */
export interface SamplerRetryOptions {
  /** Most further attempts of one sample; 0 fails at once. @defaultValue Infinity */
  readonly maxRetries?: number | undefined;
  /** Milliseconds without progress of any sample of the client after which they fail as stuck. @defaultValue 7,200,000 */
  readonly progressTimeoutMs?: number | undefined;
}

/** Options of a sampler, wherever it is made. */
export interface SamplerOptions {
  /** Have the service record stability information with every sample that does not say otherwise. @defaultValue false */
  readonly record_stability_info?: boolean | undefined;
  /** Limits on attempts, beside those of single requests (`retry` of the service client). */
  readonly retry?: SamplerRetryOptions | undefined;
}

/** The names of {@link SamplerOptions}. */
export const SAMPLER_OPTIONS = { record_stability_info: true, retry: true } as const satisfies Readonly<
  Record<keyof SamplerOptions, true>
>;
const RETRY_OPTIONS = { maxRetries: true, progressTimeoutMs: true } as const;

/** @throws ValidationError for options of a sampler that cannot work */
export function checkSamplerOptions(method: string, { record_stability_info, retry }: SamplerOptions): void {
  if (record_stability_info !== undefined && typeof record_stability_info !== "boolean") {
    const got = describeKind(record_stability_info);
    throw new ValidationError(`${method}: record_stability_info must be a boolean, got ${got}`, {
      path: ["record_stability_info"],
    });
  }
  if (retry === undefined) return;
  checkKnownNames(retry, RETRY_OPTIONS, `${method}: retry`);
  const { maxRetries = 0, progressTimeoutMs = 0 } = retry;
  const isCount = Number.isInteger(maxRetries) || maxRetries === Number.POSITIVE_INFINITY;
  if (!isCount || maxRetries < 0) {
    throw new ValidationError(
      `${method}: retry.maxRetries must be a whole number of 0 or more, or Infinity, got ${describeValue(maxRetries)}`,
      { path: ["retry", "maxRetries"] },
    );
  }
  if (!(typeof progressTimeoutMs === "number" && progressTimeoutMs >= 0)) {
    throw new ValidationError(
      `${method}: retry.progressTimeoutMs must be 0 or more milliseconds, got ${describeValue(progressTimeoutMs)}`,
      { path: ["retry", "progressTimeoutMs"] },
    );
  }
}
