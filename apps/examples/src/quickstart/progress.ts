import { SingleBar } from "cli-progress";
import { colors } from "./colors.js";

/** The part of a stream that a progress display needs: `process.stdout` is one. */
export interface ProgressStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
}

/** Lines that tell of a whole run where there is no terminal to draw a bar on. */
const PLAIN_LINES = 10;

/** Shows how far a training run is: a bar on a terminal, every tenth of the way a line elsewhere. */
export class TrainingProgress {
  readonly #stepCount: number;
  readonly #stream: ProgressStream;
  readonly #now: () => number;
  readonly #startedMs: number;
  readonly #bar: SingleBar | undefined;
  #steps = 0;
  #tokens = 0;

  /** @param options.now - a monotonic clock in milliseconds */
  constructor(options: {
    readonly stepCount: number;
    readonly stream: ProgressStream;
    readonly now: () => number;
  }) {
    this.#stepCount = options.stepCount;
    this.#stream = options.stream;
    this.#now = options.now;
    this.#startedMs = options.now();
    if (options.stream.isTTY === true) {
      this.#bar = new SingleBar({
        format: `  ${colors.cyan("{bar}")} {value}/{total}  {status}`,
        barCompleteChar: "█",
        barIncompleteChar: "░",
        barsize: 30,
        hideCursor: true,
        stream: options.stream,
      });
      this.#bar.start(options.stepCount, 0, { status: "" });
    }
  }

  /** One optimiser step is done. @param loss per word, the sum over its answer's tokens @param tokens that the step trained on */
  step(loss: number, tokens: number): void {
    this.#steps += 1;
    this.#tokens += tokens;
    const status = this.#status(loss);
    if (this.#bar !== undefined) {
      this.#bar.update(this.#steps, { status });
    } else if (
      this.#steps % Math.ceil(this.#stepCount / PLAIN_LINES) === 0 ||
      this.#steps === this.#stepCount
    ) {
      this.#stream.write(`step ${this.#steps}/${this.#stepCount}  ${status}\n`);
    }
  }

  /** Leaves the bar as it is and gives the cursor back. */
  stop(): void {
    this.#bar?.stop();
  }

  #status(loss: number): string {
    const seconds = Math.max((this.#now() - this.#startedMs) / 1000, 1e-3);
    const tokensPerSecond = Math.round(this.#tokens / seconds).toLocaleString("en");
    const secondsLeft = Math.ceil((seconds / this.#steps) * (this.#stepCount - this.#steps));
    return `loss ${loss.toFixed(3)}  ${tokensPerSecond} tokens/s  ${secondsLeft} s left`;
  }
}
