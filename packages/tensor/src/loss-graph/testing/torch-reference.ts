import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CreateCustomLossRequest } from "@tinkex/types";
import { decodeJsonRequest } from "@tinkex/wire";
import type { ValueType } from "../operations/value-type.js";

/** One loss of one datum, and what torch 2.15 gave for it. */
export interface TorchCase {
  readonly name: string;
  /** Finite differences give the same gradient: no element sits at a corner, and nothing is detached. */
  readonly isSmooth: boolean;
  /** The body of the request that uploads it, as the official SDK 0.38.0 writes it. */
  readonly request: string;
  readonly inputs: readonly (ValueType & { readonly data: readonly number[] })[];
  readonly loss: number;
  readonly gradient: readonly number[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** The script that records the cases; needs Python with tinker 0.38.0 and torch. */
export const RECORDER = join(import.meta.dirname, "record-torch-reference.py");

/** Numbers that JSON has no form for, as the script writes them. */
const NOT_FINITE: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
  nan: Number.NaN,
};

/** Reads the cases as the script prints them. */
export function parseTorchCases(text: string): readonly TorchCase[] {
  const read = (_: string, value: unknown): unknown =>
    typeof value === "string" ? (NOT_FINITE[value] ?? value) : value;
  return JSON.parse(text, read) as readonly TorchCase[];
}

/** The cases that are kept. */
export const TORCH_CASES = parseTorchCases(
  readFileSync(join(import.meta.dirname, "fixtures", "torch-reference.json"), "utf8"),
);

/** Reads a case's graph, whose numbers keep their kind. */
export function graphOf({ request }: TorchCase): CreateCustomLossRequest {
  return decodeJsonRequest("CreateCustomLossRequest", new TextEncoder().encode(request));
}
