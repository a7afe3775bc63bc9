import { describeKind, describeValue, ValidationError } from "@tinkex/base";
import type { CheckpointMetadata } from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../../inputs/call-options.js";

/**
 * The conduct of a save whose name is taken: fail at once, take the checkpoint that is there for the result, or replace it
 * (training checkpoints only).
 */
export type OnConflict = "error" | "reuse" | "overwrite";

/** Options of a save of weights to sample from. These checkpoints cannot be replaced. */
export interface SamplerSaveOptions extends CallOptions {
  /** Seconds until the service deletes the checkpoint; absent: never. */
  readonly ttl_seconds?: number | undefined;
  /** Kept with the checkpoint. */
  readonly user_metadata?: CheckpointMetadata | undefined;
  /** Conduct when the name is taken. @defaultValue `error` */
  readonly onConflict?: Exclude<OnConflict, "overwrite"> | undefined;
}

/** Options of a save of weights and optimizer state. */
export interface SaveOptions extends Omit<SamplerSaveOptions, "onConflict"> {
  /** Replace a checkpoint of that name. @defaultValue false */
  readonly overwrite?: boolean | undefined;
  /** Conduct when the name is taken. @defaultValue `error` */
  readonly onConflict?: OnConflict | undefined;
}

/** Options of an export of weights. */
export interface ExternalSaveOptions extends CallOptions {
  /** Seconds until the service deletes the export; absent: never. */
  readonly ttl_seconds?: number | undefined;
  /** age or SSH public keys, at most 10, that every file is encrypted for. @defaultValue none: the files are not encrypted */
  readonly age_encryption_recipients?: readonly string[] | undefined;
}

export const EXTERNAL_SAVE_OPTIONS = {
  ...CALL_OPTIONS,
  ttl_seconds: true,
  age_encryption_recipients: true,
} as const;
export const SAMPLER_SAVE_OPTIONS: Readonly<Record<keyof SamplerSaveOptions, true>> = {
  ...CALL_OPTIONS,
  ttl_seconds: true,
  user_metadata: true,
  onConflict: true,
};
export const SAVE_OPTIONS: Readonly<Record<keyof SaveOptions, true>> = {
  ...SAMPLER_SAVE_OPTIONS,
  overwrite: true,
};

/** @throws ValidationError for a name, a lifetime or a wish that cannot be sent */
export function checkSave(
  method: string,
  name: string,
  { ttl_seconds: ttlSeconds, overwrite, onConflict }: SaveOptions,
  wishes: readonly OnConflict[],
): void {
  if (typeof name !== "string" || name === "" || name.includes("/")) {
    const got = typeof name === "string" ? JSON.stringify(name) : describeKind(name);
    throw new ValidationError(
      `${method}: name must be a string without slashes, e.g. "step-100", got ${got}`,
      {
        path: ["name"],
      },
    );
  }
  if (ttlSeconds !== undefined && !(Number.isInteger(ttlSeconds) && ttlSeconds > 0)) {
    throw new ValidationError(
      `${method}: ttl_seconds must be a whole number of seconds above 0, got ${describeValue(ttlSeconds)}`,
      {
        path: ["ttl_seconds"],
      },
    );
  }
  if (overwrite === false && onConflict === "overwrite") {
    throw new ValidationError(
      `${method}: overwrite: false contradicts onConflict: "overwrite"; leave one of them out`,
      {
        path: ["overwrite"],
      },
    );
  }
  if (onConflict !== undefined && !wishes.includes(onConflict)) {
    throw new ValidationError(
      `${method}: onConflict must be one of ${wishes.join(", ")}, got ${describeValue(onConflict)}`,
      {
        path: ["onConflict"],
      },
    );
  }
}

/** @throws ValidationError for a name given to weights that get none */
export function refuseName(options: unknown): void {
  if (typeof options === "object" && (options === null || !("name" in options))) return;
  throw new ValidationError("these weights get no name; saveWeightsForSampler(name) keeps them under one", {
    path: ["name"],
  });
}
