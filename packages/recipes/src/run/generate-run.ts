/** Numbers of the answers of a run. */
export interface AnswerCounts {
  /** Prompts that were answered. */
  readonly answered: number;
  readonly failed: number;
}

/** The end of a run that gives answers. */
export interface GenerateResult<Answer> extends AnswerCounts {
  /** Answers in the order of their prompts: all but those that an iteration took. */
  readonly answers: readonly Answer[];
}

/**
 * Answers to many prompts that are on their way. They go to whoever takes them: iterated they come one by one, and what nobody has taken
 * holds the work up; awaited it is all that are left, in order. It has started already, and a failure reaches only whoever takes.
 */
export class GenerateRun<Answer extends { readonly index: number }>
  implements PromiseLike<GenerateResult<Answer>>, AsyncIterable<Answer>
{
  readonly #source: AsyncGenerator<Answer, AnswerCounts, undefined>;
  #first: Promise<IteratorResult<Answer, AnswerCounts>> | undefined;
  #end: Promise<AnswerCounts> | undefined;
  #result: Promise<GenerateResult<Answer>> | undefined;

  /**
   * Starts the work at once.
   *
   * @internal
   */
  constructor(source: AsyncGenerator<Answer, AnswerCounts, undefined>) {
    this.#source = source;
    this.#first = source.next();
    // Whoever takes the first answer is told; nobody else.
    this.#first.catch(() => {});
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is made to be awaited
  then<Value = GenerateResult<Answer>, Failure = never>(
    onFulfilled?: ((value: GenerateResult<Answer>) => Value | PromiseLike<Value>) | null,
    onRejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Value | Failure> {
    return this.#all().then(onFulfilled, onRejected);
  }

  /** As a promise's; takes all answers. */
  catch<Failure = never>(
    onRejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<GenerateResult<Answer> | Failure> {
    return this.#all().catch(onRejected);
  }

  /** As a promise's; takes all answers. */
  finally(onSettled?: (() => void) | null): Promise<GenerateResult<Answer>> {
    return this.#all().finally(onSettled);
  }

  /** Answers as they come, or in order where that was asked. Leaving the loop leaves the rest for later; `signal` stops the run. */
  [Symbol.asyncIterator](): AsyncIterator<Answer, undefined> {
    return {
      next: async () => {
        const { done, value } = await this.#next();
        return done === true ? { done: true, value: undefined } : { done: false, value };
      },
      return: async () => ({ done: true, value: undefined }),
    };
  }

  #all(): Promise<GenerateResult<Answer>> {
    this.#result ??= this.#takeAll();
    return this.#result;
  }

  async #takeAll(): Promise<GenerateResult<Answer>> {
    const answers: Answer[] = [];
    for (;;) {
      const { done, value } = await this.#next();
      if (done === true) return { ...value, answers: answers.sort((a, b) => a.index - b.index) };
      answers.push(value);
    }
  }

  async #next(): Promise<IteratorResult<Answer, AnswerCounts>> {
    // Behind its end a generator gives nothing, and no error: both are kept for later takers.
    if (this.#end !== undefined) return { done: true, value: await this.#end };
    const first = this.#first;
    this.#first = undefined;
    const taken = first ?? this.#source.next();
    try {
      const result = await taken;
      if (result.done === true) this.#end ??= Promise.resolve(result.value);
      return this.#end === undefined || result.done !== true
        ? result
        : { done: true, value: await this.#end };
    } catch (error) {
      this.#end ??= Promise.reject(error);
      this.#end.catch(() => {});
      throw error;
    }
  }
}
