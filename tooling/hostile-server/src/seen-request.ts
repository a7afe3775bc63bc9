/** One request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** Lower-case names; a line sent twice has both values, joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Number of the connection, from 1. */
  readonly connection: number;
}
