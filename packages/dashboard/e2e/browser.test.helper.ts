import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from "playwright-core";

/** Where screenshots go; left out: none are taken. */
const PICTURES = process.env.UNCAGED_TEST_PICTURES;

/** A browser that is missing fails the tests: nothing is skipped because a machine lacks something. */
export function chromiumPath(): string {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined) return named;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("which", [name], { encoding: "utf8" }).trim();
    } catch {
      // The next one.
    }
  }
  throw new Error(
    "there is no Chromium: install it (apt-get install chromium), or set CHROMIUM_PATH",
  );
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A page that remembers what must not happen: faults in the console, violations of the policy, requests elsewhere. */
export type Watched = { page: Page; problems: string[]; close: () => Promise<void> };

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  const { host } = new URL(url);
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A refused call is the test's own doing, and shown on the page.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      problems.push(`console: ${message.text()}`);
    }
  });
  page.on("request", (request) => {
    const to = new URL(request.url());
    if (to.protocol !== "data:" && to.protocol !== "blob:" && to.host !== host)
      problems.push(`request: ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    // A test that goes elsewhere means it: one that failed in the middle of a change must not hold up the next.
    if (dialog.type() === "beforeunload") return void dialog.accept();
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, problems, close: () => context.close() };
}

/** Logs in by a link, and goes to a view. */
export async function enter(page: Page, url: string, path: string): Promise<void> {
  await page.goto(`${url}/#code=good`);
  await page.getByRole("heading", { name: "Clients" }).waitFor();
  await page.goto(url + path);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds. It comes in by the debugger, past the policy, which stays in force. */
export async function axe(page: Page): Promise<string[]> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: AXE });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(
      violations.map(({ id, help, nodes }) => id + ": " + help + ": " + nodes.slice(0, 3).map(({ html, any }) => html.slice(0, 160) + " " + (any[0]?.message ?? "")).join(" | "))))`,
    awaitPromise: true,
  });
  await session.detach();
  return JSON.parse(String(result.value));
}

export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  if (!existsSync(PICTURES)) mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}
