import type { Value } from "../values/values.js";

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

  set(name: string, value: Value): void {
    this.#variables.set(name, value);
  }
}
