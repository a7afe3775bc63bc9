import { join } from "node:path";
import {
  checkKnownNames,
  checkLogger,
  checkString,
  type Logger,
  shieldedLogger,
  silentLogger,
} from "@tinkex/base";
import { JsonLinesReader, type NewRows } from "../lines/json-lines-reader.js";
import { type JsonObject, readPythonJson } from "../lines/python-json.js";
import { listIfThere, readIfThere } from "../lines/read-if-there.js";
import type { CheckpointRecord, MetricsRow, RolloutSummary, RolloutTokens } from "../run/records.js";
import {
  iterationFolder,
  iterationOf,
  ROLLOUTS_END,
  RUN_FILES,
  rolloutsFile,
  rolloutTokensFile,
} from "../run/run-files.js";

/** Contents of the folder of one iteration. */
export interface IterationInfo {
  readonly iteration: number;
  readonly hasTrainRollouts: boolean;
  /** True where there are tokens of rollouts, which only our runs have. */
  readonly hasTokens: boolean;
  /** Names of evaluations, without `eval_`. */
  readonly evaluations: readonly string[];
}

export interface RunReaderOptions {
  /** Told of lines that were left out. */
  readonly logger?: Logger | undefined;
}

/**
 * Reads the folder of a run, ours or the Python cookbook's, while it may still be written. Metrics and checkpoints are read from where the
 * last call ended, so that looking often is cheap.
 */
export class RunReader {
  /** The folder of the run. */
  readonly directory: string;
  readonly #logger: Logger;
  readonly #metrics: JsonLinesReader<MetricsRow>;
  readonly #checkpoints: JsonLinesReader<CheckpointRecord>;
  #metricsRows: MetricsRow[] = [];
  #checkpointRows: CheckpointRecord[] = [];

  /** @param directory - folder of the run; it need not be there yet */
  constructor(directory: string, options: RunReaderOptions = {}) {
    checkString(directory, "RunReader: directory", "runs/support-bot");
    checkKnownNames(options, { logger: true }, "the options of RunReader");
    checkLogger(options.logger, "RunReader: logger");
    this.directory = directory;
    this.#logger = shieldedLogger(options.logger ?? silentLogger);
    this.#metrics = new JsonLinesReader(join(directory, RUN_FILES.metrics), this.#logger);
    this.#checkpoints = new JsonLinesReader(join(directory, RUN_FILES.checkpoints), this.#logger);
  }

  /** Reads `config.json`; undefined where it is not there. @throws ValidationError when it is no JSON */
  async config(): Promise<JsonObject | undefined> {
    return this.#object(RUN_FILES.config);
  }

  /** Reads `tinkex.json`; undefined for a run that Python wrote. @throws ValidationError when it is no JSON */
  async mark(): Promise<JsonObject | undefined> {
    return this.#object(RUN_FILES.mark);
  }

  /** Lists all rows of metrics. */
  async metrics(): Promise<readonly MetricsRow[]> {
    await this.newMetrics();
    return [...this.#metricsRows];
  }

  /** Lists the rows of metrics that came since the last call of this or of `metrics`. */
  async newMetrics(): Promise<NewRows<MetricsRow>> {
    const added = await this.#metrics.read();
    if (added.isReset) this.#metricsRows = [];
    for (const row of added.rows) this.#metricsRows.push(row);
    return added;
  }

  /** Lists all checkpoints, the oldest first. */
  async checkpoints(): Promise<readonly CheckpointRecord[]> {
    const added = await this.#checkpoints.read();
    if (added.isReset) this.#checkpointRows = [];
    for (const row of added.rows) this.#checkpointRows.push(row);
    return [...this.#checkpointRows];
  }

  /** Lists the iterations that left a folder, in order. */
  async iterations(): Promise<readonly IterationInfo[]> {
    const names = await listIfThere(this.directory);
    const infos = await Promise.all(
      names.flatMap((name) => {
        const iteration = iterationOf(name);
        return iteration === undefined ? [] : [this.#iteration(iteration, name)];
      }),
    );
    return infos.sort((a, b) => a.iteration - b.iteration);
  }

  /** Reads the rollouts of an iteration. @param name - `train`, or `eval_` and a name */
  async rollouts(iteration: number, name = "train"): Promise<readonly RolloutSummary[]> {
    return this.#rows<RolloutSummary>(iteration, rolloutsFile(name));
  }

  /** Reads the tokens of the rollouts of an iteration that were logged. */
  async rolloutTokens(iteration: number, name = "train"): Promise<readonly RolloutTokens[]> {
    return this.#rows<RolloutTokens>(iteration, rolloutTokensFile(name));
  }

  async #iteration(iteration: number, folder: string): Promise<IterationInfo> {
    const files = await listIfThere(join(this.directory, folder));
    return {
      iteration,
      hasTrainRollouts: files.includes(rolloutsFile("train")),
      hasTokens: files.includes(rolloutTokensFile("train")),
      evaluations: files
        .filter((file) => file.startsWith("eval_") && file.endsWith(ROLLOUTS_END))
        .map((file) => file.slice("eval_".length, -ROLLOUTS_END.length))
        .sort(),
    };
  }

  async #rows<Row extends JsonObject>(iteration: number, file: string): Promise<readonly Row[]> {
    const path = join(this.directory, iterationFolder(iteration), file);
    return (await new JsonLinesReader<Row>(path, this.#logger).read()).rows;
  }

  async #object(name: string): Promise<JsonObject | undefined> {
    const text = await readIfThere(join(this.directory, name));
    if (text === undefined) return undefined;
    const value = readPythonJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject) // read from JSON
      : undefined;
  }
}
