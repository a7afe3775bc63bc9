/** Kinds of nodes where the search ends: what stands inside runs later, if at all. */
const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionExpression", "ClassExpression"]);

/**
 * Wraps each constant that a call computes in a function that is called at once and marked as pure, so that a bundler drops
 * the constants an application leaves unused though the whole package is one file. Fits packages whose constants do nothing
 * but hold a value, which is more than `sideEffects: false` promises; calls that are statements of their own stay as they are.
 *
 * @returns {import("tsdown").Rolldown.Plugin}
 */
export function pureInitializers() {
  return {
    name: "pure-initializers",
    // At the end of all else: the bundler's own clean-up would unwrap them.
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        if (file.type === "chunk" && file.fileName.endsWith(".js"))
          file.code = wrapInitializers(file.code, this.parse(file.code).body);
      }
    },
  };
}

/** @param {string} code @param {readonly unknown[]} statements */
function wrapInitializers(code, statements) {
  const parts = [];
  let done = 0;
  for (const { start, end } of statements.flatMap(initializersOf).filter(hasCall)) {
    const value = code.slice(start, end);
    // An object in an arrow's place would be read as a block.
    const body = value.startsWith("{") ? `(${value})` : value;
    parts.push(code.slice(done, start), "/* @__PURE__ */ (() => ", body, ")()");
    done = end;
  }
  return [...parts, code.slice(done)].join("");
}

/** @param {any} statement @returns {readonly any[]} the values that it gives to its variables, in order */
function initializersOf(statement) {
  const { type, declarations } = statement.declaration ?? statement;
  return type === "VariableDeclaration" ? declarations.map(({ init }) => init) : [];
}

/** Tells whether an expression calls anything while its module loads. @param {unknown} node @returns {boolean} */
function hasCall(node) {
  if (typeof node !== "object" || node === null) return false;
  if (Array.isArray(node)) return node.some(hasCall);
  const { type } = /** @type {any} */ (node);
  if (FUNCTIONS.has(type)) return false;
  if (type === "CallExpression" || type === "NewExpression") return true;
  return Object.values(node).some(hasCall);
}
