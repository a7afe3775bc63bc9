import { checkArray, ValidationError } from "@tinkex/base";
import { checkNumbers } from "../arguments/check-numbers.js";
import { sum } from "../arithmetic/sums.js";

/** Loss of self-distillation over a teacher's likeliest tokens, and its slopes. */
export interface TopKReverseKl {
  readonly loss: number;
  /** Slope by each log-probability, `[N][K]`. */
  readonly gradients: readonly (readonly number[])[];
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * Reverse KL of a student to the teacher's K likeliest tokens: at each position the student's probabilities are normed over the tokens that
 * the teacher gives a weight, and compared with those weights. Positions without weights do not count.
 *
 * @param logprobs - the student's, `[N][K]`
 * @param weights - the teacher's probabilities of the same tokens, `[N][K]`
 * @throws ValidationError when the two differ in shape
 */
export function topKReverseKl(
  logprobs: readonly (readonly number[])[],
  weights: readonly (readonly number[])[],
): TopKReverseKl {
  checkArray(logprobs, "topKReverseKl: logprobs");
  checkArray(weights, "topKReverseKl: weights");
  const rows = logprobs.map((row, place) => {
    const teacher: unknown = weights[place];
    checkNumbers(row, `topKReverseKl: logprobs[${place}]`);
    checkNumbers(teacher, `topKReverseKl: weights[${place}]`);
    if (teacher.length === row.length && weights.length === logprobs.length)
      return rowOf(Array.from(row), Array.from(teacher));
    throw new ValidationError(
      `topKReverseKl: weights must be of the shape of logprobs, got ${weights.length} rows, and ${teacher.length} columns in row ${place}`,
    );
  });
  const counted = rows.filter(({ isCounted }) => isCounted);
  const loss = sum(counted.map(({ divergence }) => divergence));
  return {
    loss,
    gradients: rows.map(({ gradient }) => gradient),
    metrics: {
      "sdft/reverse_kl_loss": loss,
      // There is no mean of none.
      ...(counted.length > 0 && {
        "sdft/reverse_kl_mean": loss / counted.length,
        "sdft/student_entropy_mean": sum(counted.map(({ entropy }) => entropy)) / counted.length,
      }),
      "sdft/reverse_kl_positions": counted.length,
    },
  };
}

/** Logarithm of a sum of exponentials, also of numbers whose exponentials are too small to be told from 0. */
function logSumExp(values: readonly number[]): number {
  const largest = Math.max(...values);
  if (!Number.isFinite(largest)) return largest;
  return largest + Math.log(sum(values.map((value) => Math.exp(value - largest))));
}

function rowOf(logprobs: readonly number[], teacher: readonly number[]) {
  const total = sum(teacher);
  const isKnown = (column: number): boolean => (teacher[column] ?? 0) > 0;
  const norm = logSumExp(logprobs.filter((_, column) => isKnown(column)));
  const student = logprobs.map((value, column) =>
    isKnown(column) ? value - norm : Number.NEGATIVE_INFINITY,
  );
  const ratio = student.map((value, column) =>
    isKnown(column) ? value - Math.log((teacher[column] ?? 0) / total) : 0,
  );
  const shares = student.map(Math.exp);
  const divergence = sum(shares.map((share, column) => share * (ratio[column] ?? 0)));
  return {
    isCounted: total > 0,
    divergence,
    entropy: -sum(shares.map((share, column) => (share > 0 ? share * (student[column] ?? 0) : 0))),
    gradient: shares.map((share, column) => (total > 0 ? share * ((ratio[column] ?? 0) - divergence) : 0)),
  };
}
