/**
 * Measures how many times longer work takes when its input is twice as long, as the least of some tries: 2 for linear
 * work, 4 for work that grows with the square. Work too short to be measured counts as linear.
 */
export function growthOf(work: (length: number) => unknown, length: number): number {
  const time = (size: number) => {
    const start = performance.now();
    work(Math.floor(size));
    return performance.now() - start;
  };
  time(length / 8);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 8; round += 1) {
    const [short, long] = [time(length / 2), time(length)];
    if (long < 20) return 2;
    least = Math.min(least, long / Math.max(short, 1));
    if (least < 3) break;
  }
  return least;
}
