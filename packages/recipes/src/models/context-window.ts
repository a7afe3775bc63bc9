import { ValidationError } from "@tinkex/base";
import type { ServiceClient } from "@tinkex/client";
import type { Datum } from "@tinkex/types";
import { sum } from "../arithmetic/sums.js";

/** Milliseconds for the question how long a context may be: without the answer, work goes on. */
const MAX_WAIT_MS = 30_000;

/** Longest context of a model, as its service lists it. */
export interface ContextWindow {
  readonly model: string;
  readonly maxTokens: number;
}

/** Asks a service for the context of a model; undefined where it does not say, as older ones and those of one model do. */
export async function contextWindowOf(
  service: ServiceClient,
  model: string,
  signal: AbortSignal | undefined,
): Promise<ContextWindow | undefined> {
  try {
    const { supported_models } = await service.getServerCapabilities({ signal, timeoutMs: MAX_WAIT_MS });
    const maxTokens = supported_models.find(({ model_name }) => model_name === model)?.max_context_length;
    return maxTokens === undefined ? undefined : { model, maxTokens };
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

/**
 * Checks that a datum fits into the context: a service refuses the whole batch that it is in, at a step that may be hours away, and the
 * run could never get past it.
 *
 * @param remedy - e.g. `leave it out`
 * @throws ValidationError
 */
export function checkFits(
  { model_input }: Datum,
  window: ContextWindow | undefined,
  place: string,
  remedy: string,
): void {
  if (window === undefined) return;
  // Of other chunks the service alone knows the length.
  const count = sum(model_input.chunks.map((chunk) => ("tokens" in chunk ? chunk.tokens.length : 0)));
  if (count <= window.maxTokens) return;
  throw new ValidationError(
    `${place} must have at most ${window.maxTokens} tokens, the context of ${window.model}, got ${count}; ${remedy}`,
  );
}
