import type { ModelInput } from "../records/data/model-input.js";
import type { SampledSequence } from "../records/sampling/sampling.js";
import type { ClientIdentity } from "./client-identity.js";

/**
 * Name of the diagnostics channel that prompts and samples are published on. It stands apart from the others, which hold none, so
 * that nobody hears contents who has not subscribed to it by name.
 */
export const CONTENT_CHANNEL = "tinkex:content";

/** Message of {@link CONTENT_CHANNEL}: what a sample was given, at its call, or what came out, before its operation ends. */
export type ContentMessage = {
  readonly service: ClientIdentity;
  readonly operationId: number;
} & (
  | {
      readonly type: "content.prompt";
      readonly prompt: ModelInput;
      /** Strings or token ids that end a sample, as they were given. */
      readonly stop: string | readonly string[] | readonly number[] | undefined;
    }
  | { readonly type: "content.sequences"; readonly sequences: readonly SampledSequence[] }
);
