import { Undefined, type Value } from "../values/values.js";

/** Value of a variable that is set only later. */
export class Hidden extends Undefined {
  constructor(name: string) {
    super(`'${name}' is undefined`);
  }
}

/** The variables of a stretch of a template; those not set in it are looked up around it. */
export class Scope {
  readonly #variables: Map<string, Value>;
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope, variables: Iterable<readonly [string, Value]> = []) {
    this.#outer = outer;
    this.#variables = new Map(variables);
  }

  get(name: string): Value | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#outer) {
      const value = scope.#variables.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** Gives the values around this scope of those variables that are still hidden in it. */
  given(names: readonly string[]): [string, Value][] {
    return names.flatMap((name): [string, Value][] => {
      const value = this.#variables.get(name) instanceof Hidden ? this.#outer?.get(name) : undefined;
      return value === undefined ? [] : [[name, value]];
    });
  }

  set(name: string, value: Value): void {
    this.#variables.set(name, value);
  }
}
