/** An expression of a template; `line` is where it begins. */
export type Expression = { readonly line: number } & (
  | { readonly kind: "constant"; readonly value: null | boolean | number | string }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list" | "tuple"; readonly items: readonly Expression[] }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: "attribute"; readonly of: Expression; readonly name: string }
  | { readonly kind: "item"; readonly of: Expression; readonly key: Expression }
  | { readonly kind: "slice"; readonly of: Expression; readonly bounds: readonly (Expression | undefined)[] }
  | { readonly kind: "call"; readonly callee: Expression; readonly args: ArgumentList }
  /** Without `of`, what a block makes is filtered. */
  | {
      readonly kind: "filter";
      readonly of: Expression | undefined;
      readonly name: string;
      readonly args: ArgumentList;
    }
  | { readonly kind: "test"; readonly of: Expression; readonly name: string; readonly args: ArgumentList }
  | { readonly kind: "not"; readonly of: Expression }
  | { readonly kind: "sign"; readonly sign: "+" | "-"; readonly of: Expression }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "concat"; readonly parts: readonly Expression[] }
  | { readonly kind: "compare"; readonly first: Expression; readonly rest: readonly Comparison[] }
  | {
      readonly kind: "condition";
      readonly test: Expression;
      readonly then: Expression;
      readonly otherwise: Expression | undefined;
    }
);

/** One of `a < b <= c`, which Python reads as `a < b and b <= c`. */
export interface Comparison {
  readonly operator: string;
  readonly right: Expression;
}

export interface ArgumentList {
  readonly positional: readonly Expression[];
  readonly keywords: readonly (readonly [name: string, value: Expression])[];
  readonly spread: Expression | undefined;
  readonly keywordSpread: Expression | undefined;
}

/** Names that a value can be assigned to. */
export type Target =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "member"; readonly namespace: string; readonly name: string }
  | { readonly kind: "tuple"; readonly items: readonly Target[] };

export interface Parameter {
  readonly name: string;
  readonly defaultValue: Expression | undefined;
}

/** A macro, or the body of a call block. */
export interface MacroDefinition {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
  /** Names those of `caller`, `kwargs` and `varargs` the body asks for. */
  readonly specials: ReadonlySet<string>;
}

/** A statement of a template; `line` is where it begins. */
export type Statement = { readonly line: number } & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "print"; readonly value: Expression }
  | {
      readonly kind: "if";
      readonly branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly kind: "for";
      readonly target: Target;
      readonly iterable: Expression;
      readonly test: Expression | undefined;
      readonly isRecursive: boolean;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | { readonly kind: "set"; readonly target: Target; readonly value: Expression }
  | {
      readonly kind: "set block";
      readonly target: Target;
      readonly filter: Expression | undefined;
      readonly body: readonly Statement[];
    }
  | { readonly kind: "macro"; readonly macro: MacroDefinition }
  | { readonly kind: "call block"; readonly call: Expression; readonly caller: MacroDefinition }
  | { readonly kind: "filter block"; readonly filter: Expression; readonly body: readonly Statement[] }
  | {
      readonly kind: "with";
      readonly variables: readonly (readonly [target: Target, value: Expression])[];
      readonly body: readonly Statement[];
    }
  /** Sees the variables of the template, and those of the loop or macro around it only where it is scoped. */
  | { readonly kind: "block"; readonly isScoped: boolean; readonly body: readonly Statement[] }
  /** A stretch with variables of its own. */
  | { readonly kind: "generation"; readonly body: readonly Statement[] }
  | { readonly kind: "break" | "continue" }
);
