import { checkKnownNames, checkObject, describeValue, ValidationError } from "@tinkex/base";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import type { SamplerOptions } from "./sampler-options.js";

/**
 * A sampler as another worker or process needs it: plain data that JSON and `structuredClone` keep, with no key and no header. The
 * names are those of the wire.
 */
export interface SamplerHandle {
  /** Mark of the record. */
  readonly type: "tinkex.sampler";
  /** The session that the sampler lives in. */
  readonly session_id: string;
  /** The sampler's id on the service. */
  readonly sampling_session_id: string;
  /** Name of the model below the weights, where it is known. */
  readonly base_model?: string | undefined;
  /** Name of the tokenizer, where the service said one. */
  readonly tokenizer_id?: string | undefined;
  /** Asks for stability information with every sample that does not say otherwise. */
  readonly record_stability_info?: boolean | undefined;
  /** Address of the service that has the sampler, for whoever makes the client there; `undefined` with a transport of the caller's. */
  readonly base_url?: string | undefined;
}

/** Options of making a client of a handle. */
export interface FromHandleOptions extends CallOptions, Pick<SamplerOptions, "retry"> {}

/** The names of {@link FromHandleOptions}. */
export const FROM_HANDLE_OPTIONS: Readonly<Record<keyof FromHandleOptions, true>> = {
  ...CALL_OPTIONS,
  retry: true,
};

const FIELDS: Readonly<Record<keyof SamplerHandle, true>> = {
  type: true,
  session_id: true,
  sampling_session_id: true,
  base_model: true,
  tokenizer_id: true,
  record_stability_info: true,
  base_url: true,
};

/** Checks a handle that came from elsewhere, and gives a copy of it. @throws ValidationError */
export function checkSamplerHandle(method: string, given: unknown): SamplerHandle {
  checkObject(given, `${method}: handle`);
  // Every field is looked at below.
  const handle = { ...given } as SamplerHandle;
  const fail = (name: keyof SamplerHandle, wanted: string): never => {
    const got = describeValue(handle[name]);
    throw new ValidationError(
      `${method}: handle.${name} must be ${wanted}, got ${got}; give what toHandle() of a sampling client gave`,
      { path: ["handle", name] },
    );
  };
  // A sampling client itself, or what a structured clone leaves of one, is told by its mark before its names are.
  if (handle.type !== "tinkex.sampler") fail("type", '"tinkex.sampler"');
  checkKnownNames(handle, FIELDS, `${method}: handle`);
  for (const name of ["session_id", "sampling_session_id"] as const) {
    if (typeof handle[name] !== "string" || handle[name] === "") fail(name, "a string that is not empty");
  }
  for (const name of ["base_model", "tokenizer_id", "base_url"] as const) {
    if (handle[name] !== undefined && typeof handle[name] !== "string") fail(name, "a string");
  }
  const { record_stability_info } = handle;
  if (record_stability_info !== undefined && typeof record_stability_info !== "boolean") {
    fail("record_stability_info", "a boolean");
  }
  return handle;
}
