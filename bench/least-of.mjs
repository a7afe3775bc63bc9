/**
 * Takes the lesser of each named figure of two runs of the same work, one before and one after the work that it is compared with: what
 * else the machine does weighs on one of the two alone.
 *
 * @template {string} Name
 * @param {readonly Name[]} names
 * @param {Readonly<Record<Name, number>>} before
 * @param {Readonly<Record<Name, number>>} after
 * @returns {Record<Name, number>}
 */
export function leastOf(names, before, after) {
  /** @type {Record<Name, number>} */
  const least = { ...before };
  for (const name of names) least[name] = Math.min(before[name], after[name]);
  return least;
}
