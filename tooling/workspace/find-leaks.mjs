import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { findCanaries } from "../canary/index.mjs";

/** Most finds told of one file: a leak in a loop is one leak. */
const MOST_FINDS = 5;

/**
 * Looks for planted keys and prompts in all that a run of the tests left in writing. Every line is one find, and says where.
 *
 * @param {readonly string[]} files a file that is missing holds nothing
 * @returns {string[]}
 */
export function findLeaks(files) {
  return files.filter(existsSync).flatMap((file) =>
    findCanaries(readFileSync(file, "utf8"))
      .slice(0, MOST_FINDS)
      .map(
        ({ what, line }) =>
          `${what} is in ${basename(file)}, line ${line}: something shows a secret that tests have planted`,
      ),
  );
}
