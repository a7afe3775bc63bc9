import type { Move } from "./move.js";

/** Which requests a rule is about; all that is given must hold. */
export interface Condition {
  /** How the path ends, query left out. */
  readonly path?: string;
  readonly method?: string;
  /** A header with this value. */
  readonly header?: readonly [name: string, value: string];
  /** Whether the connection has carried a request before. */
  readonly usedConnection?: boolean;
}

/** Moves for some requests: one a request, in turn, and the last one for ever. */
export interface Rule {
  readonly when: Condition;
  readonly moves: readonly Move[];
}

/** What a server does: the first rule that fits counts; moves outside of rules are for all other requests. */
export type Script = readonly (Move | Rule)[];

/** Moves for requests of one kind. */
export function on(when: Condition, ...moves: readonly Move[]): Rule {
  return { when, moves };
}

/** The script as rules alone. */
export function rulesOf(script: Script): Rule[] {
  const rules = script.filter((part) => "when" in part);
  const moves = script.filter((part) => "do" in part);
  return [...rules, { when: {}, moves }];
}
