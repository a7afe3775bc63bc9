import { chromium, type Page } from "playwright-core";

/** Beside those that Playwright gives: nothing is looked up, reported or fetched, only 127.0.0.1 can be reached. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** A page in a browser of its own, with an empty profile. */
export interface BrowserPage extends AsyncDisposable {
  readonly page: Page;
  readonly version: string;
  /** Errors that were thrown and not caught, or written to the console. */
  readonly errors: readonly string[];
  /** The address of every request so far. */
  readonly requests: readonly string[];
}

/** Starts the browser and opens `url`. */
export async function openPage(executablePath: string, url: string): Promise<BrowserPage> {
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const page = await browser.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.context().on("request", (request) => requests.push(request.url()));
  await page.goto(url);
  return {
    page,
    version: browser.version(),
    errors,
    requests,
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
