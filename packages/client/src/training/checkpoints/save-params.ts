import { ValidationError } from "@tinkex/base";
import type { CheckpointMetadata } from "@tinkex/types";
import type { CallOptions } from "../../service/call-options.js";
import type { OnConflict } from "./save-conflict.js";

/** How a checkpoint is kept. */
export interface SaveParams {
  /** Seconds until the service deletes it; absent: never. */
  readonly ttl_seconds?: number | undefined;
  /** Replace a checkpoint of that name. @defaultValue false */
  readonly overwrite?: boolean | undefined;
  readonly user_metadata?: CheckpointMetadata | undefined;
}

/** How a sampler's weights are kept. */
export type SamplerSaveParams = Omit<SaveParams, "overwrite">;

/** How a save is made. */
export interface SaveOptions extends CallOptions {
  /** What happens when the name is taken. @defaultValue `error` */
  readonly onConflict?: OnConflict | undefined;
}

/** How a save for a sampler is made. Its checkpoints cannot be replaced. */
export interface SamplerSaveOptions extends CallOptions {
  /** What happens when the name is taken. @defaultValue `error` */
  readonly onConflict?: Exclude<OnConflict, "overwrite"> | undefined;
}

/** @throws ValidationError for a name, a lifetime or a wish that cannot be sent */
export function checkSave(
  name: string,
  { ttl_seconds: ttlSeconds, overwrite }: SaveParams,
  { onConflict }: SaveOptions,
  wishes: readonly OnConflict[],
): void {
  if (typeof name !== "string" || name === "" || name.includes("/")) {
    throw new ValidationError(
      `a checkpoint's name must be a text without slashes, got ${JSON.stringify(name)}`,
      {
        path: ["name"],
      },
    );
  }
  if (ttlSeconds !== undefined && !(Number.isInteger(ttlSeconds) && ttlSeconds > 0)) {
    throw new ValidationError(`ttl_seconds must be a whole number of seconds above 0, got ${ttlSeconds}`, {
      path: ["ttl_seconds"],
    });
  }
  if (overwrite === false && onConflict === "overwrite") {
    throw new ValidationError('overwrite: false contradicts onConflict: "overwrite"; leave one of them out', {
      path: ["overwrite"],
    });
  }
  if (onConflict !== undefined && !wishes.includes(onConflict)) {
    throw new ValidationError(`onConflict must be one of ${wishes.join(", ")}, got ${String(onConflict)}`, {
      path: ["onConflict"],
    });
  }
}
