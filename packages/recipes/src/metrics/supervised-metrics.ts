import { checkArray, checkFunction, checkObject, type Tokenizer, ValidationError } from "@tinkex/base";
import { checkNumbers } from "../arguments/check-numbers.js";

/** Log-probabilities of one datum, with the weights of its loss. */
export interface WeighedLogprobs {
  /** `[N]`. */
  readonly logprobs: ArrayLike<number>;
  /** `[N]`; positions above 0 count. */
  readonly weights: ArrayLike<number>;
}

/** One datum with its targets. */
export interface WeighedTargets extends WeighedLogprobs {
  /** Token ids, `[N]`. */
  readonly targets: ArrayLike<number>;
}

/**
 * Mean negative log-likelihood of a batch: −Σ logprob × weight / Σ weight. NaN where no token has a weight.
 *
 * @throws ValidationError when it is no array
 */
export function meanNll(data: readonly WeighedLogprobs[]): number {
  checkArray(data, "meanNll: data");
  let weighed = 0;
  let total = 0;
  for (const [index, datum] of data.entries()) {
    const { logprobs, weights } = checkedDatum(datum, `meanNll: data[${index}]`);
    for (let place = 0; place < weights.length; place += 1) {
      const weight = Number(weights[place]);
      // A token that does not count may have a log-probability of -Infinity.
      if (weight !== 0) weighed += weight * Number(logprobs[place]);
      total += weight;
    }
  }
  return total === 0 ? Number.NaN : -weighed / total;
}

/**
 * Bits for each byte of text: −Σ logprob / (ln 2 × bytes) over tokens that have a weight and are not special. Tokens that stand together
 * are decoded together, since a letter may be cut between two. Comparable between models of different tokenizers, unlike `meanNll`.
 *
 * @throws ValidationError when it is no array
 */
export function bitsPerByte(data: readonly WeighedTargets[], tokenizer: Tokenizer): number {
  checkArray(data, "bitsPerByte: data");
  checkObject(tokenizer, "bitsPerByte: tokenizer", "await training.getTokenizer()");
  checkFunction(tokenizer.decode, "bitsPerByte: tokenizer.decode");
  const encoder = new TextEncoder();
  const special = new Map<number, boolean>();
  let nats = 0;
  let bytes = 0;
  for (const [index, datum] of data.entries()) {
    const { logprobs, weights } = checkedDatum(datum, `bitsPerByte: data[${index}]`);
    const { targets } = datum;
    checkNumbers(targets, `bitsPerByte: data[${index}].targets`);
    let run: number[] = [];
    for (let place = 0; place <= targets.length; place += 1) {
      const token = targets[place];
      if (token !== undefined && Number(weights[place]) > 0 && !isSpecial(token, tokenizer, special)) {
        run.push(token);
        nats -= Number(logprobs[place]);
      } else if (run.length > 0) {
        bytes += encoder.encode(tokenizer.decode(run)).length;
        run = [];
      }
    }
  }
  return nats / (Math.LN2 * bytes);
}

/** Tells whether a token has no text of its own, by leaving it out on decoding. */
function isSpecial(token: number, tokenizer: Tokenizer, known: Map<number, boolean>): boolean {
  const before = known.get(token);
  if (before !== undefined) return before;
  const is =
    tokenizer.decode([token], { skipSpecialTokens: true }) === "" && tokenizer.decode([token]) !== "";
  known.set(token, is);
  return is;
}

function checkedDatum(datum: WeighedLogprobs, place: string): WeighedLogprobs {
  checkObject(datum, place, "{ logprobs, weights }");
  checkNumbers(datum.logprobs, `${place}.logprobs`);
  checkNumbers(datum.weights, `${place}.weights`);
  if (datum.logprobs.length === datum.weights.length) return datum;
  throw new ValidationError(
    `${place}: logprobs and weights must be of one length, got ${datum.logprobs.length} and ${datum.weights.length}`,
  );
}
