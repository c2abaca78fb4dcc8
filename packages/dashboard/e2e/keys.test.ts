/** Every key that the page's help names, and what it does. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { enter } from "./browser.test.helper.ts";
import { test } from "./page.test.helper.ts";
import { addThread, NOW, playedSteps, step, type World } from "./world.test.helper.ts";

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
async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    pressed.add(NAMES[key] ?? key);
    await page.keyboard.press(key);
  }
}

const ID = "01M83J8HKCR3CNK078Q2PLAYED";
const AT = `/c/laptop/t/${ID}`;

function asks(world: World, id: string, message: string): void {
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

test("the list of threads: rows, far ones, choosing and opening", async ({
  page,
  server,
  world,
}) => {
  for (let n = 0; n < 120; n += 1)
    addThread(world, `T${n}`, { title: `Job ${n}`, status: "running" });
  await enter(page, server.url, "/c/laptop/threads");
  await page.getByRole("link", { name: "Job 0", exact: true }).waitFor();
  const current = page.locator('li[aria-current="true"]');
  const at = async () => Number(/Job (\d+)/.exec((await current.textContent()) ?? "")?.[1]);
  const isAt = (n: number) => expect.poll(at).toBe(n);
  await press(page, "j", "j");
  await isAt(1);
  await press(page, "k");
  await isAt(0);
  await press(page, "End");
  // The last of those that are loaded.
  await isAt(99);
  await press(page, "Home");
  await isAt(0);
  await press(page, "PageDown");
  await expect.poll(at).toBeGreaterThan(5);
  await press(page, "PageUp");
  await isAt(0);
  await press(page, "j", "x");
  expect(await page.getByLabel("Choose Job 1", { exact: true }).isChecked()).toBe(true);
  await press(page, "x");
  expect(await page.getByLabel("Choose Job 1", { exact: true }).isChecked()).toBe(false);
  await press(page, "Enter");
  await page.getByRole("heading", { name: "Job 1", exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Job 0", exact: true }).waitFor();
  await press(page, "j", "j", "j", "o");
  await page.getByRole("heading", { name: "Job 2", exact: true }).waitFor();
  await page.goBack();
  // What has the focus keeps Enter for itself.
  await page.getByRole("link", { name: "Job 0", exact: true }).waitFor();
  await press(page, "j", "j");
  await page.getByRole("link", { name: "Job 4", exact: true }).focus();
  await press(page, "Enter");
  await page.getByRole("heading", { name: "Job 4", exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Job 0", exact: true }).waitFor();
  await press(page, "/");
  await isFocused(page.getByRole("searchbox"));
  await page.keyboard.type("jkx");
  expect(await page.getByRole("searchbox").inputValue()).toBe("jkx");
});

test("the steps of a thread: rows, far ones, neighbours, graph and time line", async ({
  page,
  server,
  world,
}) => {
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
  await press(page, "j");
  await isAt(1);
  await press(page, "PageDown");
  await isAt(21);
  await press(page, "k");
  await isAt(20);
  await press(page, "n");
  await isAt(31);
  await press(page, "End");
  await isAt(60);
  await press(page, "p");
  await isAt(31);
  await press(page, "PageUp");
  await isAt(11);
  await press(page, "Home");
  await page.getByRole("region", { name: "Start and result" }).waitFor();
  const graph = page.getByRole("region", { name: "Graph", exact: true });
  await graph.waitFor();
  await press(page, "g");
  await page.getByRole("region", { name: "Time line" }).waitFor();
  await press(page, "g");
  await graph.waitFor();
  await press(page, "]");
  await page.getByRole("heading", { name: "The one behind" }).waitFor();
  await press(page, "[");
  await page.getByRole("heading", { name: "The one", exact: true }).waitFor();
  await press(page, "[");
  await page.getByRole("heading", { name: "The one before" }).waitFor();
  await page.goto(`${server.url}${AT}?step=3`);
  await isAt(3);
  await press(page, "c");
  await page.getByText("Copied the link").first().waitFor();
  await press(page, "y");
  await page.getByText("Copied the command").first().waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toContain("--before 4");
});

test("o shows the whole graph, and again the step under way", async ({ page, server, world }) => {
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
  await press(page, "o");
  await expect.poll(scale).toBeLessThan(0.7);
  await press(page, "o");
  await expect.poll(scale).toBeGreaterThanOrEqual(0.7);
});

test("f follows the newest step, and lets go", async ({ page, server, world }) => {
  addThread(world, ID, { status: "running", steps: playedSteps() });
  await enter(page, server.url, `${AT}?step=2`);
  const follow = page.getByRole("button", { name: "Follow" });
  await follow.waitFor();
  const isPressed = (is: string) => expect.poll(() => follow.getAttribute("aria-pressed")).toBe(is);
  await isPressed("false");
  await press(page, "f");
  await isPressed("true");
  await page.getByRole("region", { name: "Step under way" }).waitFor();
  await press(page, "f");
  await isPressed("false");
});

test("r answers in a thread, even one that was put off", async ({ page, server, world }) => {
  asks(world, ID, "Keep it?");
  await enter(page, server.url, AT);
  const box = page.getByLabel("comment");
  await box.waitFor();
  await press(page, "r");
  await isFocused(box);
  await page.getByRole("button", { name: "Later" }).click();
  expect(await box.count()).toBe(0);
  await press(page, "r");
  await isFocused(box);
  await page.keyboard.type("r");
  await press(page, "Control+Enter");
  await expect.poll(() => world.calls.at(-1)?.name).toBe("answerThread");
  expect(world.calls.at(-1)?.body).toEqual({ meta: { comment: "r" } });
});

for (const [view, path] of [
  ["the inbox", "/c/laptop/inbox"],
  ["all clients", "/"],
] as const) {
  test(`questions in ${view}: one after the other, and answering`, async ({
    page,
    server,
    world,
  }) => {
    asks(world, "FIRST", "Keep the first?");
    asks(world, "SECOND", "Keep the second?");
    await enter(page, server.url, path);
    const second = page.getByRole("listitem").filter({ hasText: "Keep the second?" });
    await second.getByLabel("comment").waitFor();
    await press(page, "r");
    await isFocused(page.getByLabel("comment").first());
    await page.getByRole("heading", { level: 1 }).last().click();
    await page.getByRole("link", { name: "Keep the first?" }).focus();
    await press(page, "j");
    await isFocused(second.getByRole("link"));
    await press(page, "r");
    await isFocused(second.getByLabel("comment"));
    await page.keyboard.type("yes");
    await press(page, "Meta+Enter");
    await second.waitFor({ state: "detached" });
    expect(world.calls.at(-1)).toMatchObject({ name: "answerThread", path: { id: "SECOND" } });
  });
}

test("rows of every other list are gone through, and Enter opens what has the focus", async ({
  page,
  server,
  world,
}) => {
  addThread(world, ID, { title: "The queued one", steps: playedSteps() });
  await enter(page, server.url, "/c/laptop/w");
  const develop = page.getByRole("link", { name: "develop" });
  await develop.waitFor();
  await press(page, "j");
  await isFocused(develop);
  await press(page, "j");
  await isFocused(page.getByRole("link", { name: "triage" }));
  await press(page, "j");
  await isFocused(page.getByRole("link", { name: "triage" }));
  await press(page, "Home");
  await isFocused(develop);
  await press(page, "PageDown");
  await isFocused(page.getByRole("link", { name: "triage" }));
  await press(page, "k");
  await isFocused(develop);
  const outline = await develop.evaluate(
    (element) => element.ownerDocument.defaultView?.getComputedStyle(element).outlineStyle,
  );
  expect(outline).toBe("solid");
  await press(page, "Enter");
  await page.getByText("asks a person before it is kept").first().waitFor();
  await page.goto(`${server.url}/c/laptop/queue`);
  await page.getByRole("button", { name: "Drain laptop-3k9x2p…" }).waitFor();
  await press(page, "End");
  await isFocused(page.getByRole("button", { name: "Drain laptop-3k9x2p…" }));
  await press(page, "Home", "Enter");
  await page.getByRole("heading", { name: "The queued one" }).waitFor();
  await page.goto(`${server.url}/c/laptop/tasks`);
  await page.getByText("slug-fix", { exact: true }).waitFor();
  await press(page, "j");
  await isFocused(page.getByRole("button", { name: "Copy path" }));
});

test("on a narrow screen Enter shows the step that was gone to, and g the graph", async ({
  page,
  server,
  world,
}) => {
  await page.setViewportSize({ width: 390, height: 800 });
  addThread(world, ID, { steps: playedSteps() });
  await enter(page, server.url, AT);
  await page.getByRole("option", { name: /^1 planner/ }).waitFor();
  await press(page, "j", "Enter");
  await page.getByText("Put one hyphen between words").waitFor();
  await press(page, "g");
  await page.getByRole("region", { name: "Graph", exact: true }).waitFor();
  await press(page, "g");
  await page.getByRole("region", { name: "Time line" }).waitFor();
});

test("the skip link leads to the content, which shows that it has the focus", async ({
  page,
  server,
}) => {
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

test("⌘K and Ctrl K lead anywhere, and keys rest while a dialog is open", async ({
  page,
  server,
  world,
}) => {
  addThread(world, ID, { title: "The one" });
  await enter(page, server.url, "/c/laptop/threads");
  await page.getByRole("link", { name: "The one" }).waitFor();
  for (const key of ["Control+k", "Meta+k"]) {
    await press(page, key);
    const box = page.getByRole("combobox", { name: /^A view/ });
    await isFocused(box);
    await page.keyboard.press("Escape");
    await box.waitFor({ state: "detached" });
  }
  await press(page, "?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await help.waitFor({ state: "detached" });
  expect(await page.locator('li[aria-current="true"]').count()).toBe(0);
});

test("a key right after Escape is not lost", async ({ page, server, world }) => {
  addThread(world, ID, { title: "The one" });
  await enter(page, server.url, "/c/laptop/threads");
  await page.getByRole("link", { name: "The one" }).waitFor();
  const box = page.getByRole("combobox", { name: /^A view/ });
  const help = page.getByRole("dialog", { name: "Keys" });
  for (let n = 0; n < 5; n += 1) {
    await press(page, "Control+k");
    await isFocused(box);
    await Promise.all([page.keyboard.press("Escape"), press(page, "?")]);
    await help.waitFor();
    await Promise.all([page.keyboard.press("Escape"), press(page, "Control+k")]);
    await isFocused(box);
    await Promise.all([page.keyboard.press("Escape"), press(page, "Control+k")]);
    await isFocused(box);
    await page.keyboard.press("Escape");
  }
});

test("the help names the keys that were pressed here, and no others", async ({ page, server }) => {
  await enter(page, server.url, "/c/laptop/threads");
  await page.getByText("There are no threads yet").waitFor();
  await press(page, "?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  const keys = await page.getByRole("dialog").locator("kbd").allInnerTexts();
  expect([...new Set(keys.flatMap((each) => each.split(", ")))].sort()).toEqual(
    [...pressed].sort(),
  );
});
