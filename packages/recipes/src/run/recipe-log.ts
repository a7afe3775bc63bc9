import { type Logger, shieldedLogger, systemClock, waitFor } from "@tinkex/base";
import { type CheckpointRecord, type Run, RunReader } from "@tinkex/runs";
import { isTokenKind, type TokenCounts, type TokenPrices, TokenUsage } from "../metrics/token-usage.js";
import type { Metrics, RecipeEvent, SavedCheckpoint } from "./recipe-event.js";

/** Receivers of the news of a run: its folder, its reader, the user's function and logger. */
export interface RecipeLogOptions {
  readonly tell: (event: RecipeEvent) => void;
  /** Absent: nothing is written. */
  readonly run: Run | undefined;
  readonly logger: Logger;
  readonly onMetrics?: ((step: number, metrics: Metrics) => void | Promise<void>) | undefined;
  readonly tokenPrices?: TokenPrices | undefined;
  /** Ends the wait for `onMetrics`. */
  readonly signal?: AbortSignal | undefined;
}

/** Record of a run: what it writes is on disk before anybody hears of it. */
export class RecipeLog {
  readonly #options: RecipeLogOptions;
  readonly #logger: Logger;
  readonly #usage: TokenUsage;
  #metrics: Metrics | undefined;

  constructor(options: RecipeLogOptions) {
    this.#options = options;
    this.#logger = shieldedLogger(options.logger);
    this.#usage = new TokenUsage(options.tokenPrices, tokensIn(options.run?.resumePoint?.checkpoint));
  }

  /** Metrics of the last step, from the folder of the run where it had ended before. */
  async lastMetrics(): Promise<Metrics> {
    this.#metrics ??= await metricsIn(this.#options.run?.directory);
    return this.#metrics;
  }

  start(step: number, totalSteps: number, resumedFrom: string | undefined): void {
    this.#options.tell({ type: "start", step, totalSteps, resumedFrom });
  }

  /**
   * @param tokens - used by this step
   * @param finish - writes the checkpoint behind the step, if there is one: also where `onMetrics` ends the run, as the service has it
   */
  async step(
    step: number,
    own: Metrics,
    tokens: TokenCounts,
    finish: () => Promise<void> = async () => {},
  ): Promise<void> {
    this.#usage.add(tokens);
    const metrics = { ...own, ...this.#usage.takeMetrics() };
    await this.#options.run?.writeMetrics(step, metrics);
    this.#metrics = metrics;
    this.#options.tell({ type: "step", step, metrics });
    const { onMetrics, signal } = this.#options;
    if (onMetrics !== undefined) {
      const heard = (async () => onMetrics(step, metrics))();
      await waitFor(heard, { signal }, systemClock, "onMetrics").catch(async (error: unknown) => {
        await finish().catch(() => {});
        throw error;
      });
    }
    await finish();
  }

  evaluation(step: number, metrics: Metrics): void {
    this.#options.tell({ type: "eval", step, metrics });
  }

  /**
   * Call it once the metrics of all its steps are written: a run goes on behind its last checkpoint.
   *
   * @param batch - the one to train next, as the Python cookbook counts them: within the epoch in supervised recipes, else from the start
   */
  async checkpoint(saved: SavedCheckpoint, epoch: number, batch: number = saved.batch): Promise<void> {
    const { name, batch: steps, statePath, samplerPath, isFinal } = saved;
    await this.#options.run?.writeCheckpoint({
      name,
      batch,
      epoch,
      steps,
      ...(isFinal && { final: true }),
      // Names of the Python cookbook, whose loops go on counting from here.
      elapsed_tokens: this.#usage.total.trained,
      cumulative_tokens: { ...this.#usage.total },
      state_path: statePath,
      sampler_path: samplerPath,
    });
    this.#options.tell({ type: "checkpoint", ...saved });
  }

  warn(message: string): void {
    this.#logger.warn(message);
    this.#options.tell({ type: "warning", message });
  }

  done(step: number, metrics: Metrics): void {
    this.#options.tell({ type: "done", step, metrics });
  }
}

/** Tokens that a run had used up to a checkpoint; loops for chats of the cookbook keep those alone that were trained on. */
function tokensIn(checkpoint: CheckpointRecord | undefined): TokenCounts {
  const all = checkpoint?.cumulative_tokens;
  const trained = checkpoint?.elapsed_tokens;
  const counts = typeof all === "object" && all !== null ? { trained, ...all } : { trained };
  const isCount = (value: unknown): value is number => Number.isFinite(value) && Number(value) >= 0;
  const known = Object.entries(counts).filter(([name, value]) => isTokenKind(name) && isCount(value));
  return Object.fromEntries(known);
}

/** Numbers of the last row of metrics in a folder; none where there is no folder, or no row. */
async function metricsIn(directory: string | undefined): Promise<Metrics> {
  if (directory === undefined) return {};
  const rows = await new RunReader(directory).metrics();
  const { step: _, ...row } = rows.findLast(({ step }) => step !== undefined) ?? {};
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
  );
}
