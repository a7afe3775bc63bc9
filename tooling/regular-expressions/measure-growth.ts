const FACTOR = 4;
/** Begins small, so that work whose time grows with the power of the length is found out before it stalls the test. */
const LENGTHS = [16, 18, 20, 22, 24, 26, 28, 30, 32, 48, 192, 768, 3072, 12_288, 49_152];
/** Below this nothing is said of growth: collecting garbage takes as long. */
const MIN_SLOW_MS = 20;
/** Linear work takes FACTOR times as long, quadratic work FACTOR times FACTOR: half way between, as exponents go. */
const MAX_EXPONENT = 1.5;
const TRIES = 4;

/** A length at which time grew faster than the text. */
export interface SteepGrowth {
  readonly length: number;
  readonly ms: number;
  /** The time that a quarter of the length took. */
  readonly quarterMs: number;
}

/** Does work on longer and longer texts, and tells of the first length whose time is out of proportion to a quarter of it. */
export function findSteepGrowth(
  work: (text: string) => void,
  textOfLength: (length: number) => string,
): SteepGrowth | undefined {
  for (const length of LENGTHS) {
    const steep = growthAt(work, textOfLength, length);
    if (steep !== undefined) return steep;
  }
  return undefined;
}

/** Compares the time for a text with that for a quarter of it, again where it is steep: garbage is not collected each time. */
function growthAt(
  work: (text: string) => void,
  textOfLength: (length: number) => string,
  length: number,
): SteepGrowth | undefined {
  const [quarter, text] = [textOfLength(length / FACTOR), textOfLength(length)];
  let steep: SteepGrowth | undefined;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const ms = timed(work, text);
    if (ms < MIN_SLOW_MS) return undefined;
    const quarterMs = timed(work, quarter);
    if (ms <= quarterMs * FACTOR ** MAX_EXPONENT) return undefined;
    steep = { length, ms, quarterMs };
  }
  return steep;
}

/** The processor time that work took: what else the machine does is not in it. */
function timed(work: (text: string) => void, text: string): number {
  const start = process.cpuUsage();
  work(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
