import { appendFileSync } from "node:fs";
import { inspect } from "node:util";

/** Names the file that takes down what tests see; `npm test` sets it, and looks for canaries in the file. */
export const WITNESS_FILE = "TINKEX_WITNESS_FILE";

/**
 * Takes down everything that a value shows of itself: inspected to the bottom, as JSON, as text. Does nothing outside of
 * `npm test`.
 *
 * @param {string} where
 * @param {unknown} value
 */
export function witness(where, value) {
  const file = process.env[WITNESS_FILE];
  if (file !== undefined) appendFileSync(file, `${where}: ${everythingOf(value)}\n`);
}

/**
 * All that a value shows of itself, however it is printed.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function everythingOf(value) {
  const inspected = inspect(value, {
    depth: Number.POSITIVE_INFINITY,
    showHidden: true,
    maxArrayLength: null,
    maxStringLength: null,
  });
  const stack = value instanceof Error ? value.stack : "";
  return [inspected, asJson(value), String(value), stack].join("\n");
}

/** @param {unknown} value */
function asJson(value) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    return `no JSON: ${error}`;
  }
}

/** A logger that shows nothing and has every line witnessed, of all levels. */
export const witnessLogger = Object.freeze({
  /** @param {string} message @param {unknown} [details] */
  debug: (message, details) => witness("debug", [message, details]),
  /** @param {string} message @param {unknown} [details] */
  info: (message, details) => witness("info", [message, details]),
  /** @param {string} message @param {unknown} [details] */
  warn: (message, details) => witness("warn", [message, details]),
  /** @param {string} message @param {unknown} [details] */
  error: (message, details) => witness("error", [message, details]),
});
