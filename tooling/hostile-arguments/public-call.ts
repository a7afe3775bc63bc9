/** A public function and a list of arguments that it takes. */
export interface PublicCall {
  /** Calls it. A method is called on an object that was made for this. */
  readonly run: (...args: never[]) => unknown;
  /** Makes good arguments anew: whatever a caller may give, optional ones and options included, so that each is spoilt. */
  readonly good: () => readonly unknown[];
}

/** Describes a function with good arguments. The test finds out whether they are: the types of arguments are what it breaks. */
export function call(run: (...args: never[]) => unknown, good: () => readonly unknown[]): PublicCall {
  return { run, good };
}

/** Functions of one entry by their public name, `Companion.method` or `instance.method`. */
export type PublicCalls = Readonly<Record<string, PublicCall>>;
