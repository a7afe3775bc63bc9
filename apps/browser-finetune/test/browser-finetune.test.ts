import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserPage, openPage } from "../../../tooling/browser/browser-page.js";
import { findChromium } from "../../../tooling/browser/find-chromium.mjs";
import { buildSite } from "../build-site.mjs";
import { serveSite } from "../serve-site.mjs";

const chromium = findChromium(process.env);
if ("missing" in chromium) console.warn(`skipped: fine-tuning in a browser: ${chromium.missing}`);

/** The whole training, to the score that the page promises, takes a minute of two cores. */
const IS_WHOLE = process.env.TINKEX_BROWSER_FINETUNE === "whole";

const MIN_HELD_OUT_PERCENT = 95;
const MAX_WHOLE_SECONDS = 90;

/** Far more than it takes, for a machine whose cores are busy. */
const MAX_WAIT_MS = 300_000;

/** Text of an element once it fits. */
async function textOf(
  { page }: BrowserPage,
  selector: string,
  fits: RegExp,
  timeout = MAX_WAIT_MS,
): Promise<string> {
  const fitting = await page.waitForFunction(
    ([place, pattern]) => {
      const text = document.querySelector(place)?.textContent ?? "";
      return new RegExp(pattern).test(text) || text.startsWith("failed") ? text : undefined;
    },
    [selector, fits.source] as const,
    { timeout },
  );
  return String(await fitting.jsonValue());
}

describe.skipIf("missing" in chromium)("the page in headless Chromium", () => {
  let folder: string;
  let metafile: Metafile;
  let site: Awaited<ReturnType<typeof serveSite>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tinkex-browser-finetune-"));
    metafile = await buildSite(folder);
    site = await serveSite(folder, 0);
  });
  afterAll(async () => {
    await site?.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const open = (query: string) => openPage("path" in chromium ? chromium.path : "", `${site.url}?${query}`);

  it("is made of packages as they are built, without a module of Node", () => {
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.filter((file) => /packages\/[^/]+\/(?!dist\/)/.test(file))).toEqual([]);
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    expect(imports.filter(({ path }) => path.startsWith("node:"))).toEqual([]);
  });

  it.skipIf(IS_WHOLE)(
    "trains some steps, which lower the loss, answers a word, and asks nobody else",
    async () => {
      await using opened = await open("steps=4&seed=1&held-out=10");
      expect(await textOf(opened, "#status", /^ready/)).toMatch(/^ready: wasm, \d+ threads/);
      await opened.page.fill("#word", "planet");
      await opened.page.click("#ask button");
      expect(await textOf(opened, "#answer", /[a-z]/)).toMatch(/^[a-z]+$/);
      await opened.page.click("#train");
      expect(await textOf(opened, "#status", /^trained/)).toMatch(/^trained and scored in/);
      const points = await opened.page.getAttribute("#curve polyline", "points");
      // Heights grow downwards, from the highest loss.
      const heights = (points ?? "").split(" ").map((point) => Number(point.split(",")[1]));
      expect(heights).toHaveLength(4);
      expect(heights[0]).toBe(0);
      expect(heights[3]).toBeGreaterThan(20);
      expect(await textOf(opened, "#before", /%/)).toMatch(/^\d+ %$/);
      expect(await textOf(opened, "#score", /%/)).toMatch(/^\d+ %$/);
      await expectNothingElse(opened);
    },
    MAX_WAIT_MS,
  );

  it.runIf(IS_WHOLE)(
    `has ${MIN_HELD_OUT_PERCENT} % of the held-out words right in ${MAX_WHOLE_SECONDS} seconds`,
    async () => {
      await using opened = await open("");
      await textOf(opened, "#status", /^ready/);
      await opened.page.click("#train");
      const status = await textOf(opened, "#status", /^trained/);
      const score = await textOf(opened, "#score", /%/);
      console.log(`${await opened.page.textContent("#before")} before, ${score} after, ${status}`);
      expect(Number(score.split(" ")[0])).toBeGreaterThanOrEqual(MIN_HELD_OUT_PERCENT);
      expect(Number(/ in ([\d.]+) s/.exec(status)?.[1])).toBeLessThan(MAX_WHOLE_SECONDS);
      await expectNothingElse(opened);
    },
    MAX_WAIT_MS,
  );

  async function expectNothingElse({ errors, requests }: BrowserPage): Promise<void> {
    expect(errors).toEqual([]);
    expect(requests.length).toBeGreaterThan(8);
    expect(requests.filter((url) => !url.startsWith(site.url))).toEqual([]);
  }
});
