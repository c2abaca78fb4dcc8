/** The built page on the built command: gateway, engine, store and threads are the real ones. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { axe, launch, openPage, picture, type Watched } from "./browser.test.helper.ts";
import { openRealEngine, type RealEngine } from "./real-engine.test.helper.ts";

const LETTERS = `# How letters leave the house
description: A colleague drafts letters, and a person reads each

roles:
  drafter:   # never slow
    goal: Draft the letter
    output:
      type: object
      properties:
        text: { type: string, description: The letter }
      required: [text]

  reader:
    by: person
    goal: Read the letter
    output:
      type: object
      properties:
        status: { enum: [send, again] }
        wish: { type: string }
      required: [status]

  sender:
    goal: Send it
    output: { type: object, properties: { text: { type: string } }, required: [text] }

graph:
  $START: { new: drafter }
  drafter: { role: reader, prompt: "{{ last.meta.text }}" }   # the reader sees all of it
  reader:
    send: sender
    again: { role: drafter, prompt: "{{ last.meta.wish }}" }
  sender: $END
`;

type Threads = { threads: { threadId: string; workflow: string; status: string; title: string }[] };

let engine: RealEngine;
let browser: Browser;
let origin: string;
let watched: Watched;
let page: Page;
beforeAll(async () => {
  engine = openRealEngine();
  await engine.add("letters", LETTERS);
  await engine.json("run", "letters", "--prompt", "To Ada", "--wait");
  browser = await launch();
  const up = await engine.dashboard();
  origin = up.origin;
  watched = await openPage(browser, origin);
  page = watched.page;
  await page.goto(up.link);
  await page.getByRole("heading", { name: "Clients" }).waitFor();
});
beforeEach(() => watched.problems.splice(0));
// Whatever the test was about, the policy was never broken.
afterEach(() => expect(watched.problems).toEqual([]));
afterAll(async () => {
  await browser?.close();
  await engine?.close();
});

const status = (word: string) => page.locator("header").getByText(word).first().waitFor();
const tab = (name: string) => page.getByRole("tab", { name }).click();
const sound = () => page.getByText("The engine finds no fault").waitFor();

test("the link logs in once; a thread of the command line is read, answered, started again and forked", async () => {
  expect(page.url()).not.toContain("code");
  await page.goto(`${origin}/c/local/threads`);
  await page.getByRole("link", { name: "To Ada" }).click();
  await page.getByRole("option", { name: /^1 drafter/ }).click();
  await page.getByText("Dear Ada, it is done.").first().waitFor();
  await page.locator(".react-flow__node", { hasText: "reader" }).waitFor();
  expect(await axe(page)).toEqual([]);
  await page.getByLabel("send", { exact: true }).check();
  await page.getByRole("button", { name: /^Answer/ }).click();
  await status("completed");

  await page.goto(`${origin}/c/local/run?wf=letters`);
  await page.getByText("drafter: practice").waitFor();
  await page.getByLabel("Prompt").fill("To Bob");
  await page.getByRole("button", { name: /^Run/ }).click();
  await page.getByRole("heading", { name: "To Bob" }).waitFor();
  await status("waits for you");
  const started = new URL(page.url()).pathname;

  await page.getByRole("option", { name: /^1 drafter/ }).click();
  await page.getByRole("button", { name: "Fork here…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Fork", exact: true }).click();
  await page.waitForURL((url) => url.pathname !== started);
  await status("waits for you");
  const { threads } = await engine.json<Threads>("thread", "list");
  expect(threads.map((each) => each.status)).toEqual(["suspended", "suspended", "completed"]);
});

test("a workflow is changed by forms, faults stand at their role, it is tried, published and run, and its comments stay", async () => {
  await page.goto(`${origin}/c/local/w/letters`);
  await page.getByRole("link", { name: "Edit…" }).click();
  await sound();
  await page.locator('[data-light="here"]', { hasText: "drafter" }).waitFor();
  await page.getByLabel("What it is for").fill("Draft a short letter");
  await page.getByLabel("Name", { exact: true }).fill("writer");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  await page.locator('[data-light="here"]', { hasText: "writer" }).waitFor();
  expect(page.url()).toContain("role=writer");

  await page.getByLabel("What reader is told").fill("{{ last.meta. }}");
  await page.getByLabel("What it is for").focus();
  await page.locator(".react-flow__node", { hasText: "✕ writer" }).waitFor();
  await page
    .getByRole("list", { name: "Faults" })
    .getByText(/^line \d+/)
    .waitFor();
  expect(await axe(page)).toEqual([]);
  await page.getByRole("button", { name: "Undo" }).click();
  await sound();

  await page.getByLabel("Role", { exact: true }).selectOption("sender");
  await page.getByRole("button", { name: "Ask a person first" }).click();
  await page.locator(".react-flow__node", { hasText: "approval" }).waitFor();
  await sound();
  await picture(page, "editor-real");
  for (const [part, shown] of [
    ["Text", page.getByLabel("Text of the workflow")],
    ["In words", page.getByRole("heading", { name: "Who does what" })],
    ["Try", page.getByRole("heading", { name: "You are writer" })],
    ["Form", page.getByLabel("What it is for")],
  ] as const) {
    await tab(part);
    await shown.waitFor();
    expect(await axe(page), part).toEqual([]);
  }

  await tab("Try");
  const say = () => page.getByRole("button", { name: "Say it" }).click();
  const play = async (role: string) =>
    page.getByRole("heading", { name: `You are ${role}` }).waitFor();
  await play("writer");
  await page.getByRole("textbox", { name: /^text/i }).fill("Dear Eve");
  await say();
  await play("reader");
  await page.getByLabel("send", { exact: true }).check();
  await say();
  await play("sender");
  await page.getByRole("textbox", { name: /^text/i }).fill("sent");
  await say();
  await play("approval");
  await page.getByLabel("approved", { exact: true }).check();
  await say();
  await page.getByText("It has come to its end").waitFor();

  await page.getByRole("button", { name: "Publish…" }).click();
  const dialog = page.getByRole("dialog");
  const different = dialog.getByRole("list", { name: "What is different" });
  await different.getByText("writer (an agent) is to: draft a short letter").waitFor();
  await dialog.getByText("The same as text").click();
  await dialog.getByText("goal: Draft a short letter").waitFor();
  expect(await axe(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await dialog.getByText("Threads that run keep their version").waitFor();
  await dialog.getByRole("link", { name: "Run it…" }).click();
  await page.getByText("writer: practice").waitFor();
  await page.getByLabel("Prompt").fill("To Eve");
  await page.getByRole("button", { name: /^Run/ }).click();
  await page.getByRole("heading", { name: "To Eve" }).waitFor();
  await status("waits for you");

  const { yaml } = await engine.json<{ yaml: string }>("workflow", "show", "letters", "--yaml");
  for (const kept of [
    "# How letters leave the house\n",
    "  writer:   # never slow\n",
    "# the reader sees all of it\n",
  ])
    expect(yaml).toContain(kept);
});

const NOTES = `description: Two write, one after the other
roles:
  first:
    goal: Write
    output: { type: object, properties: { text: { type: string } }, required: [text] }
  second:
    goal: Write on
    output: { type: object, properties: { text: { type: string } }, required: [text] }
graph: { $START: { new: first }, first: second, second: $END }
`;

test("files are read line by line; a step is poked and taken back, a limit raised; agents race and are compared", async () => {
  const cwd = engine.repository();
  await engine.add("notes", NOTES);
  const { threadId } = await engine.json<{ threadId: string }>(
    ...["run", "notes", "--prompt", "To Fay", "--cwd", cwd, "--max-steps", "1", "--wait"],
  );
  await page.goto(`${origin}/c/local/t/${threadId}?step=1&tab=files`);
  await page.getByRole("button", { name: "letter.txt" }).click();
  await page.getByText("Dear nobody,", { exact: true }).waitFor();
  await page.getByText("<img src=x onerror=alert(1)>", { exact: true }).waitFor();
  expect(await axe(page)).toEqual([]);
  await picture(page, "files-real");

  await page.getByRole("button", { name: "Poke…" }).click();
  await page.getByLabel("What to tell it").fill("shorter, please");
  await page.getByRole("dialog").getByRole("button", { name: "Poke", exact: true }).click();
  const open = page.getByRole("button", { name: "letter.txt", expanded: false });
  const showLine = async (line: string) => {
    await open.click();
    await page.getByText(line, { exact: true }).waitFor();
  };
  // The new step takes the place of the one that is looked at.
  await open.waitFor();
  await showLine("short");
  await page.getByRole("button", { name: "Poke…" }).click();
  await page.getByRole("button", { name: "Undo the last poke" }).click();
  await open.waitFor();
  await showLine("long");

  await page.getByText("The thread may use 1 step,").waitFor();
  await page.getByRole("textbox", { name: "Steps" }).fill("9");
  await page.getByRole("button", { name: "Raise and go on" }).click();
  await status("completed");

  await page.goto(`${origin}/c/local/t/${threadId}?step=1`);
  await page.getByRole("button", { name: "Race…" }).click();
  for (const name of ["practice", "swift"]) await page.getByLabel(name, { exact: true }).check();
  await page.getByRole("button", { name: "Race 2" }).click();
  await page.waitForURL(/\/race/);
  await page.getByText("completed").nth(1).waitFor();
  expect(await axe(page)).toEqual([]);
  const { threads } = await engine.json<Threads>("thread", "list");
  await page.goto(`${origin}/c/local/t/${threadId}/diff/${threads[0]?.threadId}`);
  await page.getByRole("heading").first().waitFor();
  await page
    .getByText(/shared/)
    .first()
    .waitFor();
  expect(await axe(page)).toEqual([]);
});

test("whoever leaves what is not published is asked first, by link, by key and by the browser's Back", async () => {
  await page.goto(`${origin}/c/local/w/letters`);
  await page.getByRole("link", { name: "Edit…" }).click();
  const goal = page.getByLabel("What it is for");
  await goal.fill("Draft a very short letter");
  await goal.press("Tab");
  const dialog = page.getByRole("dialog", { name: "Leave without publishing?" });
  const stay = async () => {
    await dialog.getByRole("button", { name: "Stay" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await goal.inputValue()).toBe("Draft a very short letter");
    expect(new URL(page.url()).pathname).toBe("/c/local/w/letters/edit");
  };
  await page.getByRole("link", { name: "Threads", exact: true }).click();
  await dialog.waitFor();
  expect(await axe(page)).toEqual([]);
  await stay();
  await page.goBack();
  await stay();
  await page.goBack();
  await dialog.getByRole("button", { name: "Leave" }).click();
  await page.waitForURL(`${origin}/c/local/w/letters`);
  // It is asked only while there is something to lose.
  await page.getByRole("link", { name: "Edit…" }).click();
  await goal.waitFor();
  await page.getByRole("link", { name: "Threads", exact: true }).click();
  await page.waitForURL(`${origin}/c/local/threads`);
});

test("a text that the engine cannot be asked about says so, and asks again", async () => {
  await page.route("**/workflows/check", (route) => route.abort());
  await page.goto(`${origin}/c/local/w/letters/edit`);
  await page.getByRole("alert").waitFor();
  expect(await page.getByText("The engine finds no fault").count()).toBe(0);
  await tab("Try");
  await page.getByRole("alert").waitFor();
  await page.unroute("**/workflows/check");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: /^You are / }).waitFor();
});

/** Several agents and checks, one after the other, each a process of its own. */
const DRAFTED = { timeout: 90_000 };

test("one's own words are asked about, drafted, changed by a sentence, published and run", async () => {
  await page.goto(`${origin}/c/local/w`);
  await page.getByRole("button", { name: "Describe one in your own words…" }).click();
  await page.getByLabel("Name").fill("letters");
  await page.getByText("there is one of this name").waitFor();
  await page.getByLabel("Name").fill("invoices");
  await page.getByLabel("What happens today").fill("A colleague drafts Bob's letters.");
  expect(await axe(page)).toEqual([]);
  await page.getByRole("button", { name: "Have it drafted" }).click();

  await page.getByText("Who reads the letters?").waitFor(DRAFTED);
  expect(await axe(page)).toEqual([]);
  await picture(page, "teach-asks");
  await page.getByLabel(/answer/i).fill("I read each one");
  await page.getByRole("button", { name: /^Answer/ }).click();

  // The first draft has a fault: the engine says so to the drafter, and nobody else has to.
  const wish = page.getByLabel("What shall be different?");
  await wish.waitFor(DRAFTED);
  await sound();
  const words = page.getByRole("tabpanel");
  await words.getByText("drafter (an agent) is to: draft the letter.").waitFor();
  await picture(page, "teach-drafted");
  expect(await axe(page)).toEqual([]);
  await wish.fill("shorter letters");
  await page.getByRole("button", { name: "Have it changed" }).click();
  await words.getByText("drafter (an agent) is to: draft a short letter.").waitFor(DRAFTED);
  await wish.waitFor(DRAFTED);

  await page.getByRole("button", { name: "Publish…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("link", { name: "Run it…" }).click();
  await page.getByText("drafter: practice").waitFor();
  // What was published was good: the thread that drafted it is over.
  await expect
    .poll(
      async () => {
        const { threads } = await engine.json<Threads>("thread", "list");
        return threads.filter(({ workflow }) => workflow === "author").map((each) => each.status);
      },
      { timeout: 20_000 },
    )
    .toEqual(["completed"]);
}, 240_000);

const MARKUP = `<img src=x onerror="document.title='owned'"><script>alert(1)</script>`;
const EVIL = [
  MARKUP,
  "![pixel](https://evil.example/pixel.png) [click](javascript:alert(1))",
  "safe \u202E txt.exe \u2066 hidden",
  "__proto__",
  "x".repeat(20_000),
];

test("hostile texts in an edited workflow stay texts", async () => {
  await page.goto(`${origin}/c/local/w/hostile/edit?new`);
  for (const evil of EVIL) {
    const output = {
      type: "object",
      properties: {
        status: { enum: [evil, "b"] },
        [evil]: { type: "string", title: evil, description: evil },
      },
      required: ["status"],
    };
    const roles = {
      [evil]: { goal: evil, procedure: [evil], output },
      b: { by: "person", goal: evil, output },
    };
    const graph = {
      $START: { new: "b" },
      b: { [evil]: { role: evil, prompt: evil }, b: "$END" },
      [evil]: { role: "$SUSPEND", prompt: evil },
    };
    await tab("Text");
    await page.getByLabel("Text of the workflow").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(JSON.stringify({ description: evil, roles, graph }, null, 1));
    await page
      .getByRole("list", { name: "Faults" })
      .or(page.getByText("The engine finds no fault"))
      .waitFor();
    await tab("In words");
    await page.getByRole("tabpanel").waitFor();
    await tab("Form");
    await page.getByLabel("Role", { exact: true }).selectOption({ index: 0 });
    await page.getByLabel("Role", { exact: true }).selectOption({ index: 1 });
    await tab("Try");
    await page.getByRole("button", { name: "Publish…" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await page.title()).toBe("Uncaged workflow");
    expect(await page.locator("img, iframe, object, base, main script").count()).toBe(0);
    for (const link of await page.locator("main a").all())
      expect(await link.getAttribute("href")).toMatch(/^(\/|https:|mailto:)/);
    await page.keyboard.press("Escape");
  }
});
