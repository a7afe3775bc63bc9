// The choice of a token from its logits, in JavaScript, for each sample and token: by each kind of filter, beside the plainest pass over
// as many numbers, their exponentials. `pnpm bench token-choice [VOCABULARY]`. First it compares: how often tokens are drawn.
import { drawToken, tokenDistribution } from "../packages/local/src/sampling/token-distribution.js";

const vocabulary = Number(process.argv[2] ?? 49_152);
const ROUNDS = 60;
const DRAWS = 20_000;
const TOLERANCE = 5;

/** Peaked as a model's are: the logit falls with the logarithm of the rank. */
const logits = Float32Array.from(
  { length: vocabulary },
  (_, id) => 10 - 1.5 * Math.log(1 + ((id * 7919) % vocabulary)),
);

const filters = {
  greedy: { temperature: 0, topK: -1, topP: 1 },
  "temperature 1": { temperature: 1, topK: -1, topP: 1 },
  "temperature 0.7": { temperature: 0.7, topK: -1, topP: 1 },
  "top-p 0.9": { temperature: 1, topK: -1, topP: 0.9 },
  "top-k 50": { temperature: 1, topK: 50, topP: 1 },
} as const;

checkDraws();
const best = new Map<string, number>();
const works: readonly (readonly [string, () => number])[] = [
  ["exponentials alone", () => logits.reduce((sum, logit) => sum + Math.exp(logit), 0)],
  ...Object.entries(filters).map(
    ([name, filter]) => [name, () => drawToken(tokenDistribution(logits, filter), Math.random())] as const,
  ),
];
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, work] of works) {
    const since = performance.now();
    work();
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, performance.now() - since));
  }
}
const plain = best.get("exponentials alone") ?? Number.NaN;
for (const [name, ms] of best)
  console.log(`${name}: ${ms.toFixed(2)} ms a token, ${(ms / plain).toFixed(2)} x the exponentials`);

/** The most frequent tokens must come as often as their probabilities say. */
function checkDraws(): void {
  const { weights, total } = tokenDistribution(logits, filters["temperature 1"]);
  const counts = new Map<number, number>();
  const distribution = { weights, total };
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const token = drawToken(distribution, Math.random());
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  for (const [token, count] of [...counts].sort((a, b) => b[1] - a[1]).slice(0, 20)) {
    const p = Math.exp(logits[token] ?? Number.NaN) / logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
    const deviation = Math.sqrt(DRAWS * p * (1 - p));
    if (Math.abs(count - DRAWS * p) > TOLERANCE * deviation)
      throw new Error(`token ${token} was drawn ${count} times, expected ${(DRAWS * p).toFixed(0)}`);
  }
}
