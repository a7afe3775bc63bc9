import { TemplateError, unsupported } from "../values/template-error.js";
import { ExpressionParser } from "./parse-expression.js";
import type { Expression, MacroDefinition, Parameter, Statement, Target } from "./syntax.js";
import { TokenStream } from "./token-stream.js";
import type { TemplateToken } from "./tokenize-template.js";

/** A template as it was parsed. */
export interface ParsedTemplate {
  readonly body: readonly Statement[];
  /** The bodies of its blocks, by name. */
  readonly blocks: ReadonlyMap<string, readonly Statement[]>;
}

/** @throws TemplateError for what jinja2 with transformers' settings refuses, or this package does. */
export function parseTemplate(tokens: readonly TemplateToken[]): ParsedTemplate {
  return new TemplateParser(new TokenStream(tokens)).template();
}

const CONSTANT_NAMES = new Set(["true", "True", "false", "False", "none", "None"]);

class TemplateParser extends ExpressionParser {
  readonly #blocks = new Map<string, readonly Statement[]>();
  #loopDepth = 0;

  template(): ParsedTemplate {
    const body = this.#statements([]);
    const [unknown] = this.unknown;
    if (unknown !== undefined) throw unknown;
    return { body, blocks: this.#blocks };
  }

  /** Statements up to a tag of one of the names, which is the current one then. */
  #statements(endNames: readonly string[]): Statement[] {
    return this.nested(() => {
      const body: Statement[] = [];
      for (;;) {
        const { type, value, line } = this.stream.current;
        if (type === "eof") {
          if (endNames.length === 0) return body;
          throw this.stream.unexpected(`'${endNames.join("' or '")}'`);
        }
        this.stream.next();
        if (type === "data") body.push({ kind: "text", text: value, line });
        else if (type === "variable_begin") {
          body.push({ kind: "print", value: this.tuple(), line });
          this.stream.expect("variable_end");
        } else {
          if (this.stream.isName(...endNames)) return body;
          body.push(...this.#statement());
          this.stream.expect("block_end");
        }
      }
    });
  }

  /** The body of a statement from the end of its first tag on. */
  #body(...endNames: readonly string[]): Statement[] {
    this.stream.skipOperator(":");
    this.stream.expect("block_end");
    return this.#statements(endNames);
  }

  /** The same, with the name that ends it. */
  #wholeBody(endName: string): Statement[] {
    const body = this.#body(endName);
    this.stream.next();
    return body;
  }

  #softBody(...endNames: readonly string[]): Statement[] {
    this.softness += 1;
    const body = this.#body(...endNames);
    this.softness -= 1;
    return body;
  }

  /** The body of a statement that has a frame of its own: within, unknown filters are looked for at once again. */
  #framed<T>(work: () => T, loopDepth: number): T {
    const before = { softness: this.softness, loopDepth: this.#loopDepth };
    this.softness = 0;
    this.#loopDepth = loopDepth;
    const result = work();
    this.softness = before.softness;
    this.#loopDepth = before.loopDepth;
    return result;
  }

  #statement(): Statement[] {
    const { line } = this.stream;
    const name = this.stream.expectName();
    switch (name) {
      case "if":
        return [this.#if(line)];
      case "for":
        return [this.#for(line)];
      case "set":
        return [this.#set(line)];
      case "macro": {
        const macroName = this.stream.expectName();
        const parameters = this.#parameters();
        return [{ kind: "macro", macro: this.#macro(macroName, parameters, "endmacro", line), line }];
      }
      case "call":
        return [this.#callBlock(line)];
      case "filter": {
        const filter = this.#framed(() => {
          let last = this.filterName(undefined);
          while (this.stream.isOperator("|")) last = this.filter(last);
          return last;
        }, this.#loopDepth);
        const body = this.#framed(() => this.#wholeBody("endfilter"), this.#loopDepth);
        return [{ kind: "filter block", filter, body, line }];
      }
      case "with":
        return [this.#with(line)];
      case "autoescape":
        return [this.#autoescape(line)];
      case "print":
        return this.#print(line);
      case "generation":
        return [{ kind: "generation", body: this.#framed(() => this.#wholeBody("endgeneration"), 0), line }];
      case "block":
        return [this.#block(line)];
      case "break":
      case "continue":
        if (this.#loopDepth === 0) throw new TemplateError(`'${name}' stands outside of a loop`, line);
        return [{ kind: name, line }];
      case "extends":
      case "include":
      case "import":
      case "from": {
        const error = unsupported(`'${name}'`);
        error.line = line;
        throw error;
      }
      default:
        throw new TemplateError(`there is no statement '${name}'`, line);
    }
  }

  #if(line: number): Statement {
    const branches: { test: Expression; body: Statement[] }[] = [];
    for (;;) {
      this.softness += 1;
      const test = this.tuple({ hasConditions: false });
      this.softness -= 1;
      branches.push({ test, body: this.#softBody("elif", "else", "endif") });
      const end = this.stream.next().value;
      if (end === "elif") continue;
      const otherwise = end === "else" ? this.#softBody("endif") : [];
      if (end === "else") this.stream.next();
      return { kind: "if", branches, otherwise, line };
    }
  }

  #for(line: number): Statement {
    const target = this.#target(["in"], false);
    if (namesOf(target).includes("loop")) throw new TemplateError("'loop' cannot be assigned to", line);
    this.stream.expectName("in");
    const iterable = this.tuple({ hasConditions: false, endsAt: ["recursive"] });
    const test = this.stream.skipName("if")
      ? this.#framed(() => this.expression(), this.#loopDepth)
      : undefined;
    const isRecursive = this.stream.skipName("recursive");
    const body = this.#framed(() => this.#body("endfor", "else"), this.#loopDepth + 1);
    const hasElse = this.stream.next().value === "else";
    const otherwise = hasElse ? this.#framed(() => this.#wholeBody("endfor"), this.#loopDepth) : [];
    return { kind: "for", target, iterable, test, isRecursive, body, otherwise, line };
  }

  #set(line: number): Statement {
    const target = this.#target([], true);
    if (this.stream.skipOperator("=")) return { kind: "set", target, value: this.tuple(), line };
    let filter: Expression | undefined;
    while (this.stream.isOperator("|")) filter = this.#framed(() => this.filter(filter), this.#loopDepth);
    const body = this.#framed(() => this.#wholeBody("endset"), this.#loopDepth);
    return { kind: "set block", target, filter, body, line };
  }

  #target(endsAt: readonly string[], hasMembers: boolean): Target {
    const items: Target[] = [];
    let isTuple = false;
    const isEnd = () =>
      this.stream.current.type === "block_end" ||
      this.stream.isOperator(")") ||
      this.stream.isName(...endsAt);
    while (!isEnd()) {
      items.push(this.#targetItem(endsAt, hasMembers));
      if (!this.stream.skipOperator(",")) break;
      isTuple = true;
    }
    const [first] = items;
    if (!isTuple && first !== undefined) return first;
    if (items.length === 0) throw this.stream.unexpected("a name");
    return { kind: "tuple", items };
  }

  #targetItem(endsAt: readonly string[], hasMembers: boolean): Target {
    if (this.stream.skipOperator("(")) {
      const inner = this.nested(() => this.#target(endsAt, false));
      this.stream.expectOperator(")");
      return inner;
    }
    const { line } = this.stream;
    const name = this.stream.expectName();
    if (CONSTANT_NAMES.has(name)) throw new TemplateError(`'${name}' cannot be assigned to`, line);
    if (!hasMembers || !this.stream.skipOperator(".")) return { kind: "name", name };
    return { kind: "member", namespace: name, name: this.stream.expectName() };
  }

  #parameters(): Parameter[] {
    return this.#framed(() => this.#parameterList(), this.#loopDepth);
  }

  #parameterList(): Parameter[] {
    const parameters: Parameter[] = [];
    this.stream.expectOperator("(");
    while (!this.stream.isOperator(")")) {
      if (parameters.length > 0) this.stream.expectOperator(",");
      const { line } = this.stream;
      const name = this.stream.expectName();
      const defaultValue = this.stream.skipOperator("=") ? this.expression() : undefined;
      if (defaultValue === undefined && parameters.at(-1)?.defaultValue !== undefined) {
        throw new TemplateError("a parameter without a default stands behind one with a default", line);
      }
      if (CONSTANT_NAMES.has(name) || parameters.some((known) => known.name === name)) {
        throw new TemplateError(`'${name}' cannot be a parameter here`, line);
      }
      parameters.push({ name, defaultValue });
    }
    this.stream.next();
    return parameters;
  }

  #macro(name: string, parameters: readonly Parameter[], endName: string, line: number): MacroDefinition {
    const outer = this.specials;
    const specials = new Set<string>();
    this.specials = specials;
    const body = this.#framed(() => this.#wholeBody(endName), 0);
    for (const special of specials) outer.add(special);
    this.specials = outer;
    const caller = parameters.find((parameter) => parameter.name === "caller");
    if (caller !== undefined && caller.defaultValue === undefined && specials.has("caller")) {
      throw new TemplateError("the parameter 'caller' must have a default", line);
    }
    return { name, parameters, body, specials };
  }

  #callBlock(line: number): Statement {
    const parameters = this.stream.isOperator("(") ? this.#parameters() : [];
    const call = this.expression();
    if (call.kind !== "call") throw new TemplateError("expected a call behind 'call'", line);
    return { kind: "call block", call, caller: this.#macro("caller", parameters, "endcall", line), line };
  }

  #with(line: number): Statement {
    const variables: [Target, Expression][] = [];
    while (this.stream.current.type !== "block_end") {
      if (variables.length > 0) this.stream.expectOperator(",");
      const target = this.#target([], false);
      this.stream.expectOperator("=");
      variables.push([target, this.expression()]);
    }
    const body = this.#framed(() => this.#wholeBody("endwith"), this.#loopDepth);
    return { kind: "with", variables, body, line };
  }

  /** Escaping is off in chat templates; a stretch that has it off too is one with variables of its own. */
  #autoescape(line: number): Statement {
    const { kind, ...rest } = this.expression();
    const isOff = kind === "constant" && "value" in rest && rest.value === false;
    const body = this.#framed(() => this.#wholeBody("endautoescape"), this.#loopDepth);
    if (isOff) return { kind: "with", variables: [], body, line };
    const error = unsupported("'autoescape' other than false");
    error.line = line;
    throw error;
  }

  #print(line: number): Statement[] {
    const prints: Statement[] = [];
    while (this.stream.current.type !== "block_end") {
      if (prints.length > 0) this.stream.expectOperator(",");
      prints.push({ kind: "print", value: this.expression(), line });
    }
    return prints;
  }

  #block(line: number): Statement {
    const name = this.stream.expectName();
    if (this.#blocks.has(name)) throw new TemplateError(`the block '${name}' is there twice`, line);
    this.#blocks.set(name, []);
    const isScoped = this.stream.skipName("scoped");
    if (this.stream.isName("required"))
      throw new TemplateError(`the block '${name}' is required, and no other template gives it`, line);
    const body = this.#framed(() => this.#wholeBody("endblock"), 0);
    this.stream.skipName(name);
    this.#blocks.set(name, body);
    return { kind: "block", isScoped, body, line };
  }
}

function namesOf(target: Target): string[] {
  if (target.kind === "tuple") return target.items.flatMap(namesOf);
  return target.kind === "name" ? [target.name] : [];
}
