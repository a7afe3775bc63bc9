import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** A regular expression that stands in a source file. */
export interface FoundPattern {
  /** `folder/file.ts:12`, relative to the repository. */
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** A place that makes a regular expression of text known only at run time. */
export interface DynamicPattern {
  readonly file: string;
  /** The expression as written, on one line. */
  readonly text: string;
}

export interface FoundPatterns {
  readonly patterns: readonly FoundPattern[];
  readonly dynamic: readonly DynamicPattern[];
}

const ROOT = join(import.meta.dirname, "..", "..");
const SOURCE = /\.[cm]?[jt]s$/;
const NOT_SHIPPED = /\.test\.[cm]?[jt]s$|\/testing\//;
/** Methods of strings that make a regular expression of a string they are given. */
const STRING_METHODS: readonly string[] = ["match", "matchAll", "search"];

/** Finds the regular expressions of everything that is shipped: the sources of packages and apps without their tests. */
export function findShippedPatterns(): FoundPatterns {
  const found = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(ROOT, group)).flatMap((name) => filesBelow(`${group}/${name}/src`)),
  );
  const each = found.map((file) => findPatterns(file, readFileSync(join(ROOT, file), "utf8")));
  return {
    patterns: each.flatMap(({ patterns }) => patterns),
    dynamic: each.flatMap(({ dynamic }) => dynamic),
  };
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((file) => SOURCE.test(file) && !NOT_SHIPPED.test(file));
}

/** Finds the regular expressions of one file: literals, and what `RegExp` or a method of strings makes of text. */
export function findPatterns(file: string, code: string): FoundPatterns {
  const tree = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const patterns: FoundPattern[] = [];
  const dynamic: DynamicPattern[] = [];
  const placeOf = (node: ts.Node) =>
    `${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      patterns.push({
        place: placeOf(node),
        source: node.text.slice(1, end),
        flags: node.text.slice(end + 1),
      });
    } else if (makesPattern(node)) {
      const [source, flags] = node.arguments ?? [];
      if (
        source !== undefined &&
        ts.isStringLiteralLike(source) &&
        (flags === undefined || ts.isStringLiteralLike(flags))
      ) {
        patterns.push({ place: placeOf(node), source: source.text, flags: flags?.text ?? "" });
      } else {
        dynamic.push({ file, text: node.getText().replaceAll(/\s+/g, " ") });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { patterns, dynamic };
}

function makesPattern(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return false;
  const called = node.expression;
  if (ts.isIdentifier(called)) return called.text === "RegExp";
  if (!ts.isPropertyAccessExpression(called)) return false;
  if (called.name.text === "RegExp") return true;
  const [argument] = node.arguments ?? [];
  const isText =
    argument !== undefined && (ts.isStringLiteralLike(argument) || ts.isTemplateExpression(argument));
  return isText && STRING_METHODS.includes(called.name.text);
}
