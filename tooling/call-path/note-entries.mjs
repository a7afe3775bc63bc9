import { transformSync } from "esbuild";
import ts from "typescript";

/** Name of the global set that sources loaded by `load-sources.mjs` add their path to whenever one of their functions is entered. */
export const ENTERED = "tinkexEnteredFiles";

/**
 * Strips the types of a module and makes each of its functions note `file` in the set {@link ENTERED} first. No function is
 * added, so that coverage counts the same ones as without.
 *
 * @param {string} code - TypeScript of one module
 * @param {string} file - what is noted
 * @returns {string}
 */
export function noteEntries(code, file) {
  const note = `globalThis.${ENTERED}.add(${JSON.stringify(file)})`;
  /** @type {{ position: number, text: string }[]} */
  const insertions = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const { parent } = node;
    if (ts.isBlock(node) && ts.isFunctionLike(parent)) {
      insertions.push({ position: node.getStart() + 1, text: `${note};` });
    } else if (ts.isArrowFunction(parent) && parent.body === node) {
      insertions.push(
        { position: node.getStart(), text: `(${note}, ` },
        { position: node.getEnd(), text: ")" },
      );
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true), visit);
  return transformSync(withInsertions(code, insertions), {
    loader: "ts",
    // Node 20 cannot read `using`.
    target: "node20.18",
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  }).code;
}

/**
 * @param {string} code
 * @param {readonly { position: number, text: string }[]} insertions
 */
function withInsertions(code, insertions) {
  let done = "";
  let start = 0;
  for (const { position, text } of insertions.toSorted((a, b) => a.position - b.position)) {
    done += code.slice(start, position) + text;
    start = position;
  }
  return done + code.slice(start);
}
