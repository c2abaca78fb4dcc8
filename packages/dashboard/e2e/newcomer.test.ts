/** Somebody who does not program, with the page alone: makes a workflow, tries it, publishes it, runs it, approves. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { axe, launch, openPage, picture, type Watched } from "./browser.test.helper.ts";
import { openRealEngine, type RealEngine } from "./real-engine.test.helper.ts";

let browser: Browser;
let engine: RealEngine;
let watched: Watched;
let page: Page;

async function open(has: "with agents" | "without agents"): Promise<string> {
  engine = openRealEngine(has);
  const up = await engine.dashboard();
  watched = await openPage(browser, up.origin);
  page = watched.page;
  await page.goto(up.link);
  await page.getByRole("heading", { name: "Clients" }).waitFor();
  return up.origin;
}

beforeAll(async () => {
  browser = await launch();
});
afterEach(async () => {
  expect(watched.problems).toEqual([]);
  await watched.close();
  await engine.close();
});
afterAll(() => browser?.close());

const button = (name: string) => page.getByRole("button", { name, exact: true });
const sound = () => page.getByText("The engine finds no fault").waitFor();
const sayIt = () => button("Say it").click();

async function begin(name: string): Promise<void> {
  await page.getByRole("link", { name: "Workflows" }).click();
  await page.getByText("Make one with forms").waitFor();
  await button("New workflow…").click();
  await page.getByLabel("Name").fill(name);
  await button("Begin").click();
  await sound();
}

test("a draft is written, a person approves it, it is published: made, tried, run and answered on the page alone", async () => {
  await open("with agents");
  await begin("press-release");
  await page.getByLabel("What it is for").fill("Draft a press release");
  await page.getByText("Reads: [drafter: text]").waitFor();
  expect(await page.getByLabel("Who plays").locator("option").first().textContent()).toBe(
    "an agent: the default, practice",
  );

  await button("Add a role").click();
  await page.getByLabel("Name", { exact: true }).fill("publisher");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  await page.getByLabel("What it is for").fill("Publish the text as it was approved");
  // What is missing is said in words of the page, and where to mend it.
  await page.getByText("nothing leads to publisher").first().waitFor();
  await page.getByText("Choose it in the form of the role before it").waitFor();
  await picture(page, "newcomer-unreached");
  // What is typed stays, also when a click on the graph goes to another role.
  await page.locator(".react-flow__node", { hasText: "approval" }).click();
  await page.getByLabel("After approved").selectOption("publisher");
  await sound();
  await page.locator(".react-flow__node", { hasText: "Publish the text" }).waitFor();
  await page.getByText("What publisher is told").click();
  await page.getByText("The agent sees the task and every step before").waitFor();
  await button("+ drafter: text").first().click();
  await page.getByText("Reads: [drafter: text]").first().waitFor();
  expect(await axe(page)).toEqual([]);
  await page.getByRole("tab", { name: "In words" }).click();
  await page.getByText("publisher is next, told: “[drafter: text]”").waitFor();
  expect(await page.getByRole("tabpanel").textContent()).not.toContain("{{");

  await page.getByRole("tab", { name: "Try" }).click();
  await page.getByRole("heading", { name: "You are drafter" }).waitFor();
  await page.getByText("Draft a press release").last().waitFor();
  await page.getByRole("textbox", { name: /^text/ }).fill("We open on Monday");
  await sayIt();
  await page.getByRole("heading", { name: "You are approval" }).waitFor();
  await page.getByRole("group", { name: "Answer" }).getByLabel("approved").check();
  await sayIt();
  await page.getByRole("heading", { name: "You are publisher" }).waitFor();
  await page.getByText("Publish the text as it was approved").last().waitFor();
  await page.getByRole("textbox", { name: /^said/ }).fill("It is out");
  await sayIt();
  await page.getByText("It has come to its end").waitFor();
  const way = page.getByRole("list", { name: "The way so far" });
  expect(await way.textContent()).not.toMatch(/[{}]/);
  await page.getByText("approval → drafter: changes").waitFor();
  await picture(page, "newcomer-tried");

  await button("Publish…").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("If approval says approved, publisher is next").waitFor();
  await picture(page, "newcomer-publish");
  expect(await axe(page)).toEqual([]);
  // The button is there without scrolling, however long the workflow is.
  await expect
    .poll(() => dialog.getByRole("button", { name: "Publish", exact: true }).isVisible())
    .toBe(true);
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await dialog.getByText("press-release is published").waitFor();
  await dialog.getByRole("link", { name: "Run it…" }).click();
  await page.getByText("drafter: practice").waitFor();
  await page.getByLabel("Prompt").fill("To Ada: we open on Monday");
  await page.getByRole("button", { name: /^Run/ }).click();
  await page.getByText("waits for you").first().waitFor();

  await page.getByRole("link", { name: /^Inbox/ }).click();
  const question = page.getByRole("article", { name: "Question of approval" });
  await question.getByText("Say whether it may go out").waitFor();
  await question.getByText("Dear Ada, it is done.").waitFor();
  await question.getByRole("button", { name: "What went before" }).click();
  await question.getByText("Step 1, drafter").waitFor();
  await picture(page, "newcomer-inbox");
  expect(await axe(page)).toEqual([]);
  await question.getByLabel("approved", { exact: true }).check();
  await question.getByRole("button", { name: /^Answer/ }).click();
  await page.getByText("Nobody waits for you").waitFor();
  await page.getByRole("link", { name: "Threads", exact: true }).click();
  await page.getByRole("link", { name: "To Ada: we open on Monday" }).click();
  await page.locator("header").getByText("completed").first().waitFor();
  await page.getByRole("option", { name: /^3 publisher/ }).click();
  await page.getByText("It is out.").first().waitFor();
  await picture(page, "newcomer-done");
}, 240_000);

test("where no agent is set up, the page says so before anything runs, and all but running works", async () => {
  await open("without agents");
  await page.getByRole("link", { name: "Run", exact: true }).click();
  await page.getByText("There is no workflow yet").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Workflows" }).click();
  await button("Describe one in your own words…").click();
  await page.getByText("No default agent is set up on local").waitFor();
  await page.keyboard.press("Escape");
  await begin("letters");
  await page.getByText("No default agent is set up on local").waitFor();
  await picture(page, "newcomer-no-agent");
  expect(await axe(page)).toEqual([]);
  await page.getByRole("tab", { name: "Try" }).click();
  await page.getByRole("textbox", { name: /^text/ }).fill("Dear Bob");
  await sayIt();
  await page.getByRole("heading", { name: "You are approval" }).waitFor();
  await button("Publish…").click();
  await page.getByRole("dialog").getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("link", { name: "Run it…" }).click();
  await page.getByText("No default agent is set up on local").waitFor();
  await picture(page, "newcomer-no-agent-run");
});

test("a worker is drained below the queue, once that was confirmed, and ends", async () => {
  const origin = await open("with agents");
  const { ended } = await engine.up();
  await page.goto(`${origin}/c/local/queue`);
  const drain = page.getByRole("button", { name: /^Drain / });
  await drain.click();
  await page.getByRole("dialog").getByText("It takes nothing new").waitFor();
  expect(await axe(page)).toEqual([]);
  await picture(page, "drain");
  await button("Cancel").click();
  // Nothing happened, and the focus is where it was.
  expect(await drain.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
  await drain.click();
  await button("Drain the worker").click();
  expect(await ended).toBe(0);
  await page.getByText("No worker is up").waitFor();
});
