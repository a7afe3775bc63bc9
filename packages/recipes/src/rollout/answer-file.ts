import { type Logger, ValidationError } from "@tinkex/base";
import { openRows, type Rows } from "@tinkex/runs";
import { plainData } from "../data/dataset.js";

/**
 * Answers in a file of JSON lines, so that work that was stopped goes on. Each has a place, such as the number of its prompt, and a key
 * that holds everything that decides it.
 */
export class AnswerFile<Answer extends object> {
  readonly #rows: Rows;
  readonly #method: string;
  readonly #places: ReadonlyMap<unknown, Rows["rows"][number]>;

  /**
   * Opens the file, which is made where it is not there.
   *
   * @param method - place of errors
   * @throws ValidationError for a file with rows that are no answers, such as a data set; it is left as it is
   */
  static async open<Answer extends object>(
    path: string,
    logger: Logger,
    method: string,
  ): Promise<AnswerFile<Answer>> {
    const rows = await openRows(path, { logger });
    if (rows.rows.every(isAnswer)) return new AnswerFile<Answer>(rows, method);
    await rows.close();
    throw new ValidationError(
      `${method}: file must have answers of this method alone, or be new, and ${path} has rows without "place" and "key"; give another file`,
      { path: ["file"] },
    );
  }

  private constructor(rows: Rows, method: string) {
    this.#rows = rows;
    this.#method = method;
    this.#places = new Map(rows.rows.map((row) => [row.place, row]));
  }

  /** Finds the answers that are there already. @throws ValidationError where they are answers to something else */
  find(place: string, key: string): readonly Answer[] | undefined {
    const row = this.#places.get(place);
    if (row === undefined) return undefined;
    if (row.key === key && Array.isArray(row.answers)) return row.answers as unknown as readonly Answer[]; // its key says who wrote it
    throw new ValidationError(
      `${this.#method}: file has the answers to another prompt, or with other options, at ${place}; choose another file`,
    );
  }

  /** Adds answers, in one line. @param about - what they are answers to, for readers of the file */
  async write(place: string, key: string, about: object, answers: readonly Answer[]): Promise<void> {
    await this.#rows.append({ place, key, ...plainData(about), answers });
  }

  /** Lets another process write the file. */
  async close(): Promise<void> {
    await this.#rows.close();
  }
}

function isAnswer({ place, key }: Rows["rows"][number]): boolean {
  return typeof place === "string" && typeof key === "string";
}
