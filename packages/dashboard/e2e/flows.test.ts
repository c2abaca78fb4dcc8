import type { ServerEvent } from "@uncaged/workflow-gateway/contract";
import type { LiveEvent } from "@uncaged/workflow-protocol";
import { expect } from "vitest";
import { enter, picture } from "./browser.test.helper.ts";
import { test } from "./page.test.helper.ts";
import { addThread, NOW, playedSteps, step, type World } from "./world.test.helper.ts";

const ID = "01M83J8HKCR3CNK078Q2PLAYED";
const AT = `/c/laptop/t/${ID}`;
const live = (item: LiveEvent, seq = 1): ServerEvent => ({
  type: "live",
  topic: `thread:${ID}`,
  item: { ...item, seq },
});
const event = { threadId: ID, timestamp: NOW };
/** The page listens to the topic. */
const streams = (world: World, topic: string) =>
  expect
    .poll(() => [...world.listeners].some(({ topics }) => topics.includes(topic)), {
      timeout: 10_000,
    })
    .toBe(true);
const lastCall = ({ calls }: World) => calls.filter(({ name }) => name !== "logIn").at(-1);

test("a link logs in once and leaves no trace in the address; a token does it too; one that was used says so", async ({
  page,
  server,
}) => {
  await page.goto(`${server.url}/#code=used`);
  await page.getByText("This link was used").waitFor();
  expect(page.url()).not.toContain("code");
  await page.getByLabel("Token").fill("good");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Clients" }).waitFor();
  expect(await page.evaluate("JSON.stringify(localStorage) + location.href")).not.toMatch(
    /good|the-key/,
  );
  await page.getByRole("button", { name: "Log out" }).click();
  await page.goto(`${server.url}/#code=good`);
  await page.getByRole("heading", { name: "Clients" }).waitFor();
  expect(page.url()).toBe(`${server.url}/`);
});

test("a question is answered by keyboard alone, with what went before above it", async ({
  page,
  server,
  world,
}) => {
  const form = {
    type: "object",
    required: ["decision"],
    properties: { decision: { enum: ["approved", "changes"] }, comment: { type: "string" } },
  };
  const wait = {
    kind: "person" as const,
    role: "approver",
    message: "Keep it?",
    form,
    route: null,
    since: NOW,
    deadline: null,
    assignees: [],
  };
  addThread(world, ID, {
    status: "suspended",
    suspended: wait,
    waits: [wait],
    steps: playedSteps(),
  });
  world.inbox.push(ID);
  await enter(page, server.url, "/c/laptop/inbox");
  await page.getByRole("button", { name: "What went before" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Step 7 of").waitFor();
  await page.getByLabel("approved").focus();
  await page.keyboard.press("Control+Enter");
  await page.getByText("this is needed").waitFor();
  expect(world.calls.map(({ name }) => name)).toEqual(["logIn"]);
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await page.keyboard.type("well done");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Nobody waits for you").waitFor();
  expect(lastCall(world)).toMatchObject({
    name: "answerThread",
    path: { id: ID },
    body: { meta: { decision: "approved", comment: "well done" } },
  });
});

test("a tool is allowed or refused, with the reason", async ({ page, server, world }) => {
  const form = {
    type: "object",
    required: ["allow"],
    properties: { allow: { type: "boolean" }, reason: { type: "string" } },
  };
  const wait = {
    kind: "person" as const,
    role: "coder",
    message: "Bash: rm -rf build",
    form,
    route: null,
    since: NOW,
    deadline: NOW + 1e6,
    assignees: [],
    permission: true as const,
  };
  addThread(world, ID, { status: "running", waits: [wait], steps: playedSteps() });
  world.inbox.push(ID);
  await enter(page, server.url, "/c/laptop/inbox");
  await page.getByText("asks to use a tool").waitFor();
  await page.getByLabel(/^Reason/).fill("not on Fridays");
  await page.getByRole("button", { name: "Refuse" }).click();
  await page.getByText("Nobody waits for you").waitFor();
  expect(lastCall(world)).toMatchObject({
    body: { meta: { allow: false, reason: "not on Fridays" } },
  });
});

test("an address fills the run form in and never submits it; a person does, and lands on the thread", async ({
  page,
  server,
  world,
}) => {
  addThread(world, "STARTED", { title: "It has started", status: "idle" });
  await enter(page, server.url, "/c/laptop/run?wf=develop&prompt=Mend+it");
  await page.getByText("planner: claude").waitFor();
  expect(lastCall(world)).toBeUndefined();
  await page.getByLabel("Folder").fill("relative/path");
  await page.getByText("this has to be a whole path").waitFor();
  await page.getByLabel("Folder").fill("/srv/app");
  await page.getByLabel("Prompt").press("Control+Enter");
  await page.getByRole("heading", { name: "It has started" }).waitFor();
  expect(lastCall(world)).toMatchObject({
    name: "startThread",
    body: { workflow: "develop", prompt: "Mend it", cwd: "/srv/app", run: "background" },
  });
});

test("bulk acts on the named list and on nothing else, and tells of each failure", async ({
  page,
  server,
  world,
}) => {
  for (let n = 0; n < 5; n += 1)
    addThread(world, `T${n}`, { title: `Job ${n}`, status: n === 4 ? "completed" : "running" });
  await enter(page, server.url, "/c/laptop/threads");
  await page.getByLabel("Choose Job 1").check();
  await page.getByLabel("Choose Job 2").check();
  await page.getByLabel("Choose Job 4").check();
  await page.getByRole("button", { name: "Kill…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 of those chosen is left out").waitFor();
  expect(await dialog.getByRole("listitem").allInnerTexts()).toHaveLength(2);
  // A thread that comes meanwhile is not in it.
  world.send({
    type: "thread",
    topic: "threads",
    thread: { ...addThread(world, "T9", { title: "Job 9", status: "running" }).row },
  });
  await dialog.getByRole("button", { name: "Kill 2 threads" }).click();
  await dialog.getByText("0 of 2 done.").waitFor();
  await dialog.getByText("it has ended").first().waitFor();
  expect(lastCall(world)).toMatchObject({
    name: "steerThreads",
    body: { verb: "kill", threadIds: ["T1", "T2"] },
  });
  await page.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("link", { name: "Job 9" }).waitFor();
});

test("filters stand in the address, and a filtered list says when it is empty", async ({
  page,
  server,
  world,
}) => {
  addThread(world, "A", { title: "One", status: "failed" });
  addThread(world, "B", { title: "Two", status: "completed" });
  await enter(page, server.url, "/c/laptop/threads?status=failed");
  await page.getByRole("link", { name: "One" }).waitFor();
  expect(await page.getByRole("link", { name: "Two" }).count()).toBe(0);
  await page.keyboard.press("/");
  await page.keyboard.type("nothing like it");
  await page.getByText("No thread passes these filters").waitFor();
  // The list may be empty before the last letter is typed.
  await page.waitForURL(/status=failed&q=nothing\+like\+it/);
});

test("steps by keys: next, failures, neighbours; links and commands are copied", async ({
  page,
  server,
  world,
}) => {
  addThread(world, ID, { steps: playedSteps(), title: "The one" });
  addThread(world, "OTHER", { title: "The other" });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await enter(page, server.url, "/c/laptop/threads");
  await page.getByRole("link", { name: "The one" }).click();
  await page.locator(".react-flow__node").first().waitFor();
  await page.keyboard.press("j");
  await page.getByRole("region", { name: "Step 1", exact: true }).waitFor();
  await page.locator('[data-light="here"]', { hasText: "planner" }).waitFor();
  await page.keyboard.press("n");
  await page.getByRole("region", { name: "Step 2", exact: true }).waitFor();
  await page.keyboard.press("n");
  await page.getByRole("region", { name: "Step 6", exact: true }).waitFor();
  await page.getByText("reviews: 3 of 3 have ended").waitFor();
  await page.keyboard.press("p");
  await page.getByRole("region", { name: "Step 2", exact: true }).waitFor();
  await page.keyboard.press("y");
  await page.getByText("Copied the command").first().waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toContain(
    `uwf thread context ${ID} --before 3`,
  );
  await page.keyboard.press("c");
  await page.getByText("Copied the link").first().waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`${server.url}${AT}?step=2`);
  await page.keyboard.press("End");
  await page.getByRole("region", { name: "Step 7", exact: true }).waitFor();
  await page.keyboard.press("]");
  await page.getByRole("heading", { name: "The other" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /^A view/ }).waitFor();
  // On a slow machine, and not waited for one by one: as fast as somebody types who knows where to.
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 30 });
  const press = (key: string, more: { text: string; windowsVirtualKeyCode?: number }) =>
    cdp.send("Input.dispatchKeyEvent", { type: "keyDown", key, ...more });
  const typed = [..."cost"].map((key) => press(key, { text: key }));
  await Promise.all([...typed, press("Enter", { text: "\r", windowsVirtualKeyCode: 13 })]);
  await page.getByRole("heading", { name: "Costs" }).waitFor();
});

test("what an agent says comes while it says it, and a step is there once when it is stored", async ({
  page,
  server,
  world,
}) => {
  const thread = addThread(world, ID, { status: "running", steps: playedSteps() });
  await enter(page, server.url, AT);
  await streams(world, `thread:${ID}`);
  world.send(
    live({
      ...event,
      type: "step_started",
      role: "tester",
      round: 8,
      condition: "clean",
      said: null,
    }),
  );
  world.send(
    live(
      {
        ...event,
        type: "agent",
        role: "tester",
        round: 8,
        event: { type: "text", text: "Looking at " },
      },
      2,
    ),
  );
  world.send(
    live(
      {
        ...event,
        type: "agent",
        role: "tester",
        round: 8,
        event: { type: "text", text: "the tests" },
      },
      3,
    ),
  );
  await page.getByText("Looking at the tests").waitFor();
  await picture(page, "live");
  const next = step(8, "tester", { content: "All green." });
  thread.steps.push(next);
  Object.assign(thread.head, { head: next.stateHash, stepCount: 8 });
  world.send(
    live(
      {
        ...event,
        type: "step_completed",
        role: "tester",
        round: 8,
        stateHash: next.stateHash,
        meta: {},
      },
      4,
    ),
  );
  await page.getByText("8 steps").waitFor();
  await page.waitForTimeout(900);
  expect(await page.getByText("8 steps").count()).toBe(1);
  await page.keyboard.press("f");
  await page.getByRole("option", { name: /8 tester/ }).click();
  await page.getByText("All green.").waitFor();
});

test("pause, resume and kill do what they say, and kill asks first", async ({
  page,
  server,
  world,
}) => {
  addThread(world, ID, { status: "running", steps: playedSteps() });
  await enter(page, server.url, AT);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("paused").first().waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("running").first().waitFor();
  await page.getByRole("button", { name: "Kill…" }).click();
  expect(world.calls.some(({ name }) => name === "killThread")).toBe(false);
  await page.getByRole("button", { name: "Kill the thread" }).click();
  await page.getByText("aborted").first().waitFor();
});

test("a fork begins at the step that is looked at; a race is one for each agent", async ({
  page,
  server,
  world,
}) => {
  addThread(world, ID, { steps: playedSteps() });
  addThread(world, "FORKED", { title: "The fork", status: "running" });
  await enter(page, server.url, `${AT}?step=3`);
  await page.getByRole("button", { name: "Fork here…" }).click();
  await page
    .getByRole("dialog")
    .getByLabel(/^What to tell/)
    .fill("Try again");
  await page.getByRole("dialog").getByRole("button", { name: "Fork", exact: true }).click();
  await page.getByRole("heading", { name: "The fork" }).waitFor();
  expect(lastCall(world)).toMatchObject({
    name: "forkThread",
    body: { from: { step: 3 }, prompt: "Try again" },
  });
  await page.goto(`${server.url}${AT}?step=3`);
  await page.getByRole("button", { name: "Race…" }).click();
  await page.getByLabel("claude").check();
  await page.getByLabel("codex").check();
  await page.getByRole("button", { name: "Race 2" }).click();
  await page.getByText("threads side by side").waitFor();
  const races = world.calls.filter(({ name }) => name === "raceThread");
  expect(races).toMatchObject([{ body: { from: { step: 3 }, agents: ["claude", "codex"] } }]);
});

test("10,000 steps: a deep link shows its step, few rows are in the page, and a reader is not moved", async ({
  page,
  server,
  world,
}) => {
  const steps = Array.from({ length: 10_000 }, (_, n) =>
    step(n + 1, n % 3 === 0 ? "planner" : "coder"),
  );
  const thread = addThread(world, ID, { status: "running", steps });
  await enter(page, server.url, `${AT}?step=7777`);
  await page.getByRole("region", { name: "Step 7777", exact: true }).waitFor();
  const row = page.getByRole("option", { name: /^7777 / });
  await row.waitFor();
  expect(await page.getByRole("option").count()).toBeLessThan(150);
  const before = await row.boundingBox();
  await streams(world, `thread:${ID}`);
  for (let n = 1; n <= 100; n += 1) {
    const { round, stateHash, role } = step(10_000 + n, "coder");
    thread.steps.push(step(round, role));
    Object.assign(thread.head, { head: stateHash, stepCount: round });
    world.send(live({ ...event, type: "step_completed", role, round, stateHash, meta: {} }, n));
  }
  await page.getByText("10100 steps").waitFor();
  expect(await row.boundingBox()).toEqual(before);
  await page.keyboard.press("End");
  await page.getByText("under way").waitFor();
});

test("another thread never shows what the one before had", async ({ page, server, world }) => {
  addThread(world, ID, { steps: [step(1, "planner", { content: "SECRET OF THE FIRST" })] });
  addThread(world, "OTHER", {
    title: "The other",
    steps: [step(1, "coder", { content: "Of the other", stateHash: "OTHER00000000" })],
  });
  await enter(page, server.url, `${AT}?step=1`);
  await page.getByText("SECRET OF THE FIRST").waitFor();
  await page.goto(`${server.url}/c/laptop/t/OTHER?step=1`);
  await page.getByText("Of the other").waitFor();
  expect(await page.getByText("SECRET OF THE FIRST").count()).toBe(0);
});

test("a thread that is not there, and odd ones without anything, say so in place of a blank page", async ({
  page,
  server,
  world,
}) => {
  addThread(world, ID, {
    title: null,
    usage: null,
    steps: [step(1, "nobody", { run: null, route: null, meta: {}, content: "" })],
  });
  await enter(page, server.url, "/c/laptop/t/MISSING");
  await page.getByText("There is no such thread").waitFor();
  await page.goto(`${server.url}${AT}?step=1`);
  await page.getByText("Nothing was said.").waitFor();
  for (const tab of ["Meta", "Files", "Route", "Cost", "Raw"])
    await page.getByRole("tab", { name: tab }).click();
  await page.goto(`${server.url}/c/laptop/nowhere`);
  await page.getByText("There is nothing at this address").waitFor();
});
