import { lengthOf } from "../library/filters-of-lists.js";
import { setAttribute } from "../library/globals.js";
import { isTrue } from "../operations/operators.js";
import { textOf } from "../printing/print-value.js";
import type { HiddenNames } from "../syntax/hidden-names.js";
import type { Expression, MacroDefinition, Statement, Target } from "../syntax/syntax.js";
import { iterate } from "../values/iterate.js";
import type { Run } from "../values/run.js";
import { TemplateError } from "../values/template-error.js";
import { isText, plain, type TextValue } from "../values/text.js";
import {
  Attributed,
  type CallArguments,
  Callable,
  Lazy,
  Markup,
  Namespace,
  NONE,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "../values/values.js";
import { argumentsOf, callValue, evaluate } from "./evaluate.js";
import { LoopItems } from "./loop.js";
import { bindMacro, macroAttributes } from "./macro.js";
import { Hidden, Scope } from "./scope.js";

/** Steps of catching the output of a block, and of filtering it: measured against the time of a plain statement. */
const CAPTURE_STEPS = 6;
const BLOCK_FILTER_STEPS = 12;

/** Tells how a stretch of a template ended: by going through, or by leaving the loop around it. */
type Ending = "done" | "break" | "continue";

/** No template calls itself deeper; Python's own limit lies near. */
const MAX_CALL_DEPTH = 150;

/** Runs the statements of one template. */
export class Execution {
  readonly #run: Run;
  /** The variables of the template, which blocks see. */
  readonly #top: Scope;
  readonly #hidden: HiddenNames;
  /** The statements of the template itself. */
  #body: readonly Statement[] = [];
  #output: TextValue[] = [];
  #depth = 0;

  constructor(top: Scope, run: Run, blocks: ReadonlyMap<string, readonly Statement[]>, hidden: HiddenNames) {
    this.#hidden = hidden;
    this.#top = top;
    this.#run = run;
    top.set("self", this.#ownBlocks(blocks));
  }

  /** The value of `self`, which gives the blocks of the template as functions. */
  #ownBlocks(blocks: ReadonlyMap<string, readonly Statement[]>): Attributed {
    const call = (name: string, body: readonly Statement[], { positional, keywords }: CallArguments) => {
      if (positional.length + keywords.size > 0) throw new TemplateError("a block takes no arguments");
      const work = () => this.#capture(() => this.#statements(body, this.#blockScope()));
      return this.#deeper(work, `the block '${name}'`);
    };
    return new Attributed(
      "TemplateReference",
      (name) => {
        const body = blocks.get(name);
        return body && new Callable(name, (given) => call(name, body, given), undefined);
      },
      "<TemplateReference None>",
    );
  }

  /** Variables of a block: those of the template, and of what that sets only later the values that it was given. */
  #blockScope(): Scope {
    const scope = new Scope(this.#top);
    for (const [name, value] of this.#top.given(this.#hidden.get(this.#body) ?? [])) scope.set(name, value);
    return scope;
  }

  /** The text of the whole template. */
  render(body: readonly Statement[]): TextValue {
    this.#body = body;
    return this.#capture(() => this.#statements(body, this.#top));
  }

  /** The text that some work writes. */
  #capture(work: () => Ending | undefined): TextValue {
    return this.#captureEnding(work).text;
  }

  #captureEnding(work: () => Ending | undefined): { readonly text: TextValue; readonly ending: Ending } {
    const outer = this.#output;
    this.#output = [];
    const ending = work() ?? "done";
    const text = this.#run.join(this.#output, "the text of the template");
    this.#output = outer;
    return { text, ending };
  }

  #write(text: TextValue): void {
    if (plain(text) === "") return;
    this.#run.budget.allocate(16, "the text of the template");
    this.#output.push(text);
  }

  /** Writes what a block made, which jinja2 does not print: it must be text. */
  #writeWhole(value: Value, construct: string): void {
    if (!isText(value) && !(value instanceof Markup))
      throw new TemplateError(`${construct} must make text, got a ${typeName(value)}`);
    this.#write(textOf(value, this.#run));
  }

  #statements(body: readonly Statement[], scope: Scope): Ending {
    for (const name of this.#hidden.get(body) ?? []) scope.set(name, new Hidden(name));
    for (const statement of body) {
      const ending = this.#statement(statement, scope);
      if (ending !== "done") return ending;
    }
    return "done";
  }

  #statement(node: Statement, scope: Scope): Ending {
    this.#run.budget.spend(
      1,
      node.kind === "text" || node.kind === "print" ? "the template" : `'${node.kind}'`,
    );
    try {
      return this.#execute(node, scope);
    } catch (error) {
      if (error instanceof TemplateError) error.line ??= node.line;
      throw error;
    }
  }

  #execute(node: Statement, scope: Scope): Ending {
    const run = this.#run;
    switch (node.kind) {
      case "text":
        this.#write(node.text);
        return "done";
      case "print":
        this.#write(textOf(evaluate(node.value, scope, run), run));
        return "done";
      case "if": {
        for (const { test, body } of node.branches) {
          if (isTrue(evaluate(test, scope, run))) return this.#statements(body, scope);
        }
        return this.#statements(node.otherwise, scope);
      }
      case "for":
        return this.#for(node, scope);
      case "set":
        this.#assign(node.target, evaluate(node.value, scope, run), scope);
        return "done";
      case "set block": {
        run.budget.spend(CAPTURE_STEPS, `'${node.kind}'`);
        const { text, ending } = this.#captureEnding(() => this.#statements(node.body, new Scope(scope)));
        if (ending === "done") this.#assign(node.target, this.#filtered(node.filter, text, scope), scope);
        return ending;
      }
      case "filter block": {
        run.budget.spend(CAPTURE_STEPS, `'${node.kind}'`);
        const { text, ending } = this.#captureEnding(() => this.#statements(node.body, new Scope(scope)));
        if (ending === "done") this.#writeWhole(this.#filtered(node.filter, text, scope), "'filter'");
        return ending;
      }
      case "macro":
        scope.set(node.macro.name, this.#macro(node.macro, scope));
        return "done";
      case "call block": {
        const { call } = node;
        if (call.kind !== "call") throw new TemplateError("expected a call behind 'call'");
        const callee = evaluate(call.callee, scope, run);
        const given = argumentsOf(call.args, scope, run);
        const keywords = new Map([...given.keywords, ["caller", this.#macro(node.caller, scope)] as const]);
        this.#writeWhole(callValue(callee, { ...given, keywords }), "'call'");
        return "done";
      }
      case "with": {
        const inner = new Scope(scope);
        for (const [target, value] of node.variables)
          this.#assign(target, evaluate(value, scope, run), inner);
        return this.#statements(node.body, inner);
      }
      case "block":
        this.#write(
          this.#capture(() =>
            this.#statements(node.body, node.isScoped ? new Scope(scope) : this.#blockScope()),
          ),
        );
        return "done";
      case "generation":
        this.#write(this.#capture(() => this.#statements(node.body, new Scope(scope))));
        return "done";
      case "break":
      case "continue":
        return node.kind;
    }
  }

  /** Applies the filters of a block, of which the innermost has nothing before it. */
  #filtered(filter: Expression | undefined, text: TextValue, scope: Scope): Value {
    if (filter === undefined) return text;
    this.#run.budget.spend(BLOCK_FILTER_STEPS, "'filter'");
    const bodyName = "\0body";
    const inner = new Scope(scope, [[bodyName, text]]);
    return evaluate(withBody(filter, bodyName), inner, this.#run);
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    if (target.kind === "name") {
      scope.set(target.name, value);
    } else if (target.kind === "member") {
      const namespace = scope.get(target.namespace);
      if (!(namespace instanceof Namespace)) {
        throw new TemplateError(
          namespace === undefined || namespace instanceof Undefined
            ? `'${target.namespace}' is undefined`
            : `'${target.namespace}' is no namespace, so '${target.name}' cannot be set in it`,
        );
      }
      this.#run.budget.allocate(64, "'set'");
      setAttribute(namespace, target.name, value);
    } else {
      const items: Value[] = [];
      for (const item of iterate(value, this.#run.budget, "'set'")) {
        if (items.length === target.items.length)
          throw new TemplateError("there are too many values to unpack");
        items.push(item);
      }
      if (items.length < target.items.length) throw new TemplateError("there are too few values to unpack");
      for (const [index, part] of target.items.entries()) this.#assign(part, items[index] ?? NONE, scope);
    }
  }

  #for(node: Statement & { readonly kind: "for" }, scope: Scope): Ending {
    const loop = (iterable: Value, depth0: number): Ending => {
      this.#run.budget.allocate(256, "'for'");
      const items = this.#loopItems(node, iterable, scope);
      const recurse = node.isRecursive
        ? ({ positional }: { readonly positional: readonly Value[] }) =>
            this.#deeper(
              () => this.#capture(() => loop(positional[0] ?? NONE, depth0 + 1)),
              "a recursive loop",
            )
        : undefined;
      // In jinja2, too, what follows else is run where each round was left by break or continue.
      let hasEnded = false;
      const variable = items.variable(recurse, depth0, this.#run);
      for (let item = items.next(); item !== undefined; item = items.next()) {
        const inner = new Scope(scope, [["loop", variable]]);
        this.#assign(node.target, item, inner);
        const ending = this.#statements(node.body, inner);
        if (ending === "break") break;
        hasEnded ||= ending === "done";
      }
      return hasEnded ? "done" : this.#statements(node.otherwise, new Scope(scope));
    };
    const iterable = evaluate(node.iterable, scope, this.#run);
    if (!node.isRecursive) return loop(iterable, 0);
    this.#write(this.#capture(() => loop(iterable, 0)));
    return "done";
  }

  #loopItems(node: Statement & { readonly kind: "for" }, iterable: Value, scope: Scope): LoopItems {
    const items = iterate(iterable, this.#run.budget, "'for'");
    const { test } = node;
    if (test === undefined)
      return new LoopItems(items, iterable instanceof Lazy ? undefined : lengthOf(iterable, this.#run));
    const accepted = (item: Value) => {
      const inner = new Scope(scope);
      this.#assign(node.target, item, inner);
      return isTrue(evaluate(test, inner, this.#run)) ? valueOfTarget(node.target, inner) : undefined;
    };
    return new LoopItems(
      (function* () {
        for (const item of items) {
          const value = accepted(item);
          if (value !== undefined) yield value;
        }
      })(),
      undefined,
    );
  }

  #macro(definition: MacroDefinition, scope: Scope): Callable {
    // It keeps the variables around it.
    this.#run.budget.allocate(512, `the macro '${definition.name}'`);
    return new Callable(
      definition.name,
      (given) =>
        this.#deeper(() => {
          const inner = new Scope(scope);
          this.#run.budget.allocate(128, `the macro '${definition.name}'`);
          bindMacro(definition, given, inner, (value) => evaluate(value, inner, this.#run));
          return this.#capture(() => this.#statements(definition.body, inner));
        }, `the macro '${definition.name}'`),
      macroAttributes(definition),
    );
  }

  #deeper<T>(work: () => T, construct: string): T {
    if (this.#depth >= MAX_CALL_DEPTH) {
      throw new TemplateError(
        `${construct} calls itself too deep: a template may do so ${MAX_CALL_DEPTH} times`,
      );
    }
    this.#depth += 1;
    const result = work();
    this.#depth -= 1;
    return result;
  }
}

/** The value that a loop with a condition goes on with: of an unpacked list a tuple, as in jinja2. */
function valueOfTarget(target: Target, scope: Scope): Value {
  if (target.kind === "tuple") return new Tuple(target.items.map((item) => valueOfTarget(item, scope)));
  return scope.get(target.name) ?? NONE;
}

function withBody(filter: Expression, name: string): Expression {
  if (filter.kind !== "filter") return filter;
  const { line } = filter;
  return {
    ...filter,
    of: filter.of === undefined ? { kind: "name", name, line } : withBody(filter.of, name),
  };
}
