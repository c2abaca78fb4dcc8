import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axe, enter, launch, openPage, picture, type Watched } from "./browser.test.helper.ts";
import { type FakeServer, startFakeServer } from "./fake-server.test.helper.ts";
import { VIEWS, worldToSee } from "./views.test.helper.ts";

const world = worldToSee();
let browser: Browser;
let server: FakeServer;

beforeAll(async () => {
  server = await startFakeServer(world);
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const GRAPHS = ["thread", "step", "waiting", "workflow"];

/** On a narrow screen one part of a thread is shown. */
const PANES: { readonly [view: string]: string } = {
  thread: "Step",
  failed: "Step",
  "time-line": "Graph",
};

const WIDTHS = { wide: 1280, narrow: 390 } as const;
const SCREENS = (["wide", "narrow"] as const).flatMap((size) =>
  (["light", "dark"] as const).map((colorScheme) => ({
    screen: `${size}-${colorScheme}`,
    size,
    options: { colorScheme, viewport: { width: WIDTHS[size], height: 800 } },
  })),
);

/** What is wrong with the view as it is shown. */
async function faultsIn(page: Page): Promise<string[]> {
  const wider = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  const hidden =
    await page.evaluate<boolean>(`[...document.querySelectorAll('nav [aria-current="page"]')]
    .map((link) => link.getBoundingClientRect())
    .some(({ left, right }) => left < 0 || right > innerWidth)`);
  return [
    ...(await axe(page)),
    ...(wider > 0 ? [`${wider} px wider than the screen`] : []),
    ...(hidden ? ["the bar of views does not show where one is"] : []),
  ];
}

describe.each(SCREENS)("on a screen that is $screen", ({ screen, size, options }) => {
  let open: Watched;
  beforeAll(async () => {
    open = await openPage(browser, server.url, options);
  });
  afterAll(() => open.close());

  test("there is a log-in, accessible and within its policy", async () => {
    const { page, problems } = open;
    await page.goto(server.url);
    await page.getByLabel("Token").waitFor();
    expect(await faultsIn(page)).toEqual([]);
    expect(problems.splice(0)).toEqual([]);
    await picture(page, `log-in-${screen}`);
    await enter(page, server.url, "/");
  });

  test.each(VIEWS)("$name is there, accessible and within its policy", async (view) => {
    const { name, path, shows } = view;
    const { page, problems } = open;
    await page.goto(server.url + path);
    const pane = PANES[name];
    if (size === "narrow" && pane !== undefined) {
      await page.getByRole("button", { name: pane, exact: true }).first().click();
    }
    for (const text of [shows].flat()) await page.getByText(text).first().waitFor();
    // Of a thread, a narrow screen shows another part.
    if (GRAPHS.includes(name) && (size === "wide" || name === "workflow"))
      await page.locator(".react-flow__node").first().waitFor();
    expect(await faultsIn(page)).toEqual([]);
    expect(problems.splice(0)).toEqual([]);
    await picture(page, `${name}-${screen}`);
  });
});
