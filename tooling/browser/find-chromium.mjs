import { existsSync } from "node:fs";

/** Where Linux distributions, macOS and Windows put Chromium or Chrome. */
const USUAL_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/**
 * The browser to use: what `CHROMIUM_PATH` names, or the first of the usual paths that exists; or in words why there is none.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {(path: string) => boolean} [exists]
 * @returns {{ readonly path: string } | { readonly missing: string }}
 */
export function findChromium(env, exists = existsSync) {
  const named = env.CHROMIUM_PATH;
  if (named !== undefined && named !== "") {
    return exists(named)
      ? { path: named }
      : { missing: `CHROMIUM_PATH names ${named}, which does not exist` };
  }
  const path = USUAL_PATHS.find((usual) => exists(usual));
  if (path !== undefined) return { path };
  return { missing: "there is no Chromium: see tooling/browser/README.md" };
}
