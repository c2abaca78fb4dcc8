import type { Browser, Page } from "playwright-core";
import { test as base, expect } from "vitest";
import { launch, openPage } from "./browser.test.helper.ts";
import { type FakeServer, startFakeServer } from "./fake-server.test.helper.ts";
import { makeWorld, type World } from "./world.test.helper.ts";

/** What a test has for itself: a world, a server of it, and a page that nobody has opened yet. No test may leave anything
 *  behind that must not happen on a page. */
export const test = base.extend<{
  browser: Browser;
  world: World;
  server: FakeServer;
  page: Page;
}>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture needs from its first parameter.
    async ({}, use) => {
      const browser = await launch();
      await use(browser);
      await browser.close();
    },
    { scope: "file" },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  world: async ({}, use) => use(makeWorld()),
  server: async ({ world }, use) => {
    const server = await startFakeServer(world);
    await use(server);
    await server.stop();
  },
  page: async ({ browser, server }, use) => {
    const { page, problems, close } = await openPage(browser, server.url);
    await use(page);
    await close();
    // No script of an agent ran, nothing was loaded from elsewhere, and the policy was never broken.
    expect(problems).toEqual([]);
  },
});
