/** Every key that the page's help names, and what it does. */
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { enter, launch, openPage, type Watched } from "./browser.test.helper.ts";
import { type FakeServer, startFakeServer } from "./fake-server.test.helper.ts";
import { addThread, makeWorld, NOW, playedSteps, step, type World } from "./world.test.helper.ts";

let browser: Browser;
let world: World;
let server: FakeServer;
let watched: Watched;
let page: Page;

/** The keys that were pressed in some test, as the help writes them. */
const pressed = new Set<string>();
const NAMES: { readonly [key: string]: string } = {
  PageUp: "PgUp",
  PageDown: "PgDn",
  "Control+k": "Ctrl K",
  "Meta+k": "⌘K",
  "Control+Enter": "Ctrl Enter",
  "Meta+Enter": "⌘↵",
};
async function press(...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    pressed.add(NAMES[key] ?? key);
    await page.keyboard.press(key);
  }
}

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  world = makeWorld();
  server = await startFakeServer(world);
  watched = await openPage(browser, server.url);
  page = watched.page;
});
afterEach(async () => {
  expect(watched.problems).toEqual([]);
  await watched.close();
  await server.stop();
});

const ID = "01M83J8HKCR3CNK078Q2PLAYED";
const AT = `/c/laptop/t/${ID}`;

function asks(id: string, message: string): void {
  const wait = {
    kind: "person" as const,
    role: "approver",
    message,
    form: { type: "object", required: ["comment"], properties: { comment: { type: "string" } } },
    route: null,
    since: NOW,
    deadline: null,
    assignees: [],
  };
  addThread(world, id, { status: "suspended", suspended: wait, waits: [wait], title: message });
  world.inbox.push(id);
}

const isFocused = (locator: Locator) =>
  expect
    .poll(() => locator.evaluate((element) => element === element.ownerDocument.activeElement))
    .toBe(true);

test("the list of threads: rows, far ones, choosing and opening", async () => {
  for (let n = 0; n < 120; n += 1)
    addThread(world, `T${n}`, { title: `Job ${n}`, status: "running" });
  await enter(page, server.url, "/c/laptop/threads");
  await page.getByRole("link", { name: "Job 0", exact: true }).waitFor();
  const current = page.locator('li[aria-current="true"]');
  const at = async () => Number(/Job (\d+)/.exec((await current.textContent()) ?? "")?.[1]);
  const isAt = (n: number) => expect.poll(at).toBe(n);
  await press("j", "j");
  await isAt(1);
  await press("k");
  await isAt(0);
  await press("End");
  // The last of those that are loaded.
  await isAt(99);
  await press("Home");
  await isAt(0);
  await press("PageDown");
  await expect.poll(at).toBeGreaterThan(5);
  await press("PageUp");
  await isAt(0);
  await press("j", "x");
  expect(await page.getByLabel("Choose Job 1", { exact: true }).isChecked()).toBe(true);
  await press("x");
  expect(await page.getByLabel("Choose Job 1", { exact: true }).isChecked()).toBe(false);
  await press("Enter");
  await page.getByRole("heading", { name: "Job 1", exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Job 0", exact: true }).waitFor();
  await press("j", "j", "j", "o");
  await page.getByRole("heading", { name: "Job 2", exact: true }).waitFor();
  await page.goBack();
  // What has the focus keeps Enter for itself.
  await page.getByRole("link", { name: "Job 0", exact: true }).waitFor();
  await press("j", "j");
  await page.getByRole("link", { name: "Job 4", exact: true }).focus();
  await press("Enter");
  await page.getByRole("heading", { name: "Job 4", exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Job 0", exact: true }).waitFor();
  await press("/");
  await isFocused(page.getByRole("searchbox"));
  await page.keyboard.type("jkx");
  expect(await page.getByRole("searchbox").inputValue()).toBe("jkx");
});

test("the steps of a thread: rows, far ones, neighbours, graph and time line", async () => {
  const steps = Array.from({ length: 60 }, (_, n) =>
    step(n + 1, "coder", n === 30 ? { outcome: "crashed" } : {}),
  );
  addThread(world, "BEFORE", { title: "The one before" });
  addThread(world, ID, { steps, title: "The one" });
  addThread(world, "BEHIND", { title: "The one behind" });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await enter(page, server.url, "/c/laptop/threads");
  await page.getByRole("link", { name: "The one", exact: true }).click();
  const isAt = (n: number) =>
    page.getByRole("region", { name: `Step ${n}`, exact: true }).waitFor();
  await page.getByRole("region", { name: "Start and result" }).waitFor();
  await press("j");
  await isAt(1);
  await press("PageDown");
  await isAt(21);
  await press("k");
  await isAt(20);
  await press("n");
  await isAt(31);
  await press("End");
  await isAt(60);
  await press("p");
  await isAt(31);
  await press("PageUp");
  await isAt(11);
  await press("Home");
  await page.getByRole("region", { name: "Start and result" }).waitFor();
  const graph = page.getByRole("region", { name: "Graph", exact: true });
  await graph.waitFor();
  await press("g");
  await page.getByRole("region", { name: "Time line" }).waitFor();
  await press("g");
  await graph.waitFor();
  await press("]");
  await page.getByRole("heading", { name: "The one behind" }).waitFor();
  await press("[");
  await page.getByRole("heading", { name: "The one", exact: true }).waitFor();
  await press("[");
  await page.getByRole("heading", { name: "The one before" }).waitFor();
  await page.goto(`${server.url}${AT}?step=3`);
  await isAt(3);
  await press("c");
  await page.getByText("Copied the link").first().waitFor();
  await press("y");
  await page.getByText("Copied the command").first().waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toContain("--before 4");
});

test("o shows the whole graph, and again the step under way", async () => {
  await page.setViewportSize({ width: 1280, height: 420 });
  addThread(world, ID, { steps: playedSteps() });
  await enter(page, server.url, `${AT}?step=1`);
  await page.locator('[data-light="here"]').waitFor();
  const scale = async () =>
    Number(
      /scale\((.+)\)/.exec(
        (await page.locator(".react-flow__viewport").getAttribute("style")) ?? "",
      )?.[1],
    );
  await expect.poll(scale).toBeGreaterThanOrEqual(0.7);
  await press("o");
  await expect.poll(scale).toBeLessThan(0.7);
  await press("o");
  await expect.poll(scale).toBeGreaterThanOrEqual(0.7);
});

test("f follows the newest step, and lets go", async () => {
  addThread(world, ID, { status: "running", steps: playedSteps() });
  await enter(page, server.url, `${AT}?step=2`);
  const follow = page.getByRole("button", { name: "Follow" });
  await follow.waitFor();
  const isPressed = (is: string) => expect.poll(() => follow.getAttribute("aria-pressed")).toBe(is);
  await isPressed("false");
  await press("f");
  await isPressed("true");
  await page.getByRole("region", { name: "Step under way" }).waitFor();
  await press("f");
  await isPressed("false");
});

test("r answers in a thread, even one that was put off", async () => {
  asks(ID, "Keep it?");
  await enter(page, server.url, AT);
  const box = page.getByLabel("comment");
  await box.waitFor();
  await press("r");
  await isFocused(box);
  await page.getByRole("button", { name: "Later" }).click();
  expect(await box.count()).toBe(0);
  await press("r");
  await isFocused(box);
  await page.keyboard.type("r");
  await press("Control+Enter");
  await expect.poll(() => world.calls.at(-1)?.name).toBe("answerThread");
  expect(world.calls.at(-1)?.body).toEqual({ meta: { comment: "r" } });
});

for (const [view, path] of [
  ["the inbox", "/c/laptop/inbox"],
  ["all clients", "/"],
] as const) {
  test(`questions in ${view}: one after the other, and answering`, async () => {
    asks("FIRST", "Keep the first?");
    asks("SECOND", "Keep the second?");
    await enter(page, server.url, path);
    const second = page.getByRole("listitem").filter({ hasText: "Keep the second?" });
    await second.getByLabel("comment").waitFor();
    await press("r");
    await isFocused(page.getByLabel("comment").first());
    await page.getByRole("heading", { level: 1 }).last().click();
    await page.getByRole("link", { name: "Keep the first?" }).focus();
    await press("j");
    await isFocused(second.getByRole("link"));
    await press("r");
    await isFocused(second.getByLabel("comment"));
    await page.keyboard.type("yes");
    await press("Meta+Enter");
    await second.waitFor({ state: "detached" });
    expect(world.calls.at(-1)).toMatchObject({ name: "answerThread", path: { id: "SECOND" } });
  });
}

test("rows of every other list are gone through, and Enter opens what has the focus", async () => {
  addThread(world, ID, { title: "The queued one", steps: playedSteps() });
  await enter(page, server.url, "/c/laptop/w");
  const develop = page.getByRole("link", { name: "develop" });
  await develop.waitFor();
  await press("j");
  await isFocused(develop);
  await press("j");
  await isFocused(page.getByRole("link", { name: "triage" }));
  await press("j");
  await isFocused(page.getByRole("link", { name: "triage" }));
  await press("Home");
  await isFocused(develop);
  await press("PageDown");
  await isFocused(page.getByRole("link", { name: "triage" }));
  await press("k");
  await isFocused(develop);
  const outline = await develop.evaluate(
    (element) => element.ownerDocument.defaultView?.getComputedStyle(element).outlineStyle,
  );
  expect(outline).toBe("solid");
  await press("Enter");
  await page.getByText("asks a person before it is kept").first().waitFor();
  await page.goto(`${server.url}/c/laptop/queue`);
  await page.getByRole("button", { name: "Drain laptop-3k9x2p…" }).waitFor();
  await press("End");
  await isFocused(page.getByRole("button", { name: "Drain laptop-3k9x2p…" }));
  await press("Home", "Enter");
  await page.getByRole("heading", { name: "The queued one" }).waitFor();
  await page.goto(`${server.url}/c/laptop/tasks`);
  await page.getByText("slug-fix", { exact: true }).waitFor();
  await press("j");
  await isFocused(page.getByRole("button", { name: "Copy path" }));
});

test("on a narrow screen Enter shows the step that was gone to, and g the graph", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  addThread(world, ID, { steps: playedSteps() });
  await enter(page, server.url, AT);
  await page.getByRole("option", { name: /^1 planner/ }).waitFor();
  await press("j", "Enter");
  await page.getByText("Put one hyphen between words").waitFor();
  await press("g");
  await page.getByRole("region", { name: "Graph", exact: true }).waitFor();
  await press("g");
  await page.getByRole("region", { name: "Time line" }).waitFor();
});

test("the skip link leads to the content, which shows that it has the focus", async () => {
  await enter(page, server.url, "/c/laptop/w");
  await page.getByRole("link", { name: "develop" }).waitFor();
  await page.keyboard.press("Tab");
  await isFocused(page.getByRole("link", { name: "Skip to the content" }));
  await page.keyboard.press("Enter");
  const main = page.locator("main");
  await isFocused(main);
  const outline = () =>
    main.evaluate(
      (element) => element.ownerDocument.defaultView?.getComputedStyle(element).outlineStyle,
    );
  expect(await outline()).toBe("solid");
  // Somebody who clicks knows where they are.
  await page.reload();
  await page.getByRole("link", { name: "develop" }).waitFor();
  await main.click({ position: { x: 5, y: 600 } });
  await isFocused(main);
  expect(await outline()).toBe("none");
});

test("⌘K and Ctrl K lead anywhere, and keys rest while a dialog is open", async () => {
  addThread(world, ID, { title: "The one" });
  await enter(page, server.url, "/c/laptop/threads");
  await page.getByRole("link", { name: "The one" }).waitFor();
  for (const key of ["Control+k", "Meta+k"]) {
    await press(key);
    const box = page.getByRole("combobox", { name: /^A view/ });
    await isFocused(box);
    await page.keyboard.press("Escape");
    await box.waitFor({ state: "detached" });
  }
  await press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await help.waitFor({ state: "detached" });
  expect(await page.locator('li[aria-current="true"]').count()).toBe(0);
});

test("the help names the keys that were pressed here, and no others", async () => {
  await enter(page, server.url, "/c/laptop/threads");
  await page.getByText("There are no threads yet").waitFor();
  await press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  const keys = await page.getByRole("dialog").locator("kbd").allInnerTexts();
  expect([...new Set(keys.flatMap((each) => each.split(", ")))].sort()).toEqual(
    [...pressed].sort(),
  );
});
