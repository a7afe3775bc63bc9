/** The key that tests send wherever any key will do. */
export const CANARY_KEY: string;
/** The prompt that tests send wherever any text will do. */
export const CANARY_PROMPT: string;
/** The prompt of tests that deal in tokens. */
export const CANARY_TOKENS: readonly number[];
/** Names the file that takes down what tests see. */
export const WITNESS_FILE: string;

/** Looks for planted secrets in a text; lines count from 1. */
export function findCanaries(text: string): { readonly what: string; readonly line: number }[];
/** All that a value shows of itself, however it is printed. */
export function everythingOf(value: unknown): string;
/** Takes down everything that a value shows of itself, under `npm test`. */
export function witness(where: string, value: unknown): void;
/** A logger that shows nothing and has every line witnessed, of all levels. */
export const witnessLogger: Readonly<
  Record<"debug" | "info" | "warn" | "error", (message: string, details?: unknown) => void>
>;
