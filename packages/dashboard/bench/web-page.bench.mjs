/** The built page in a real browser: a long thread until it is there and while it is scrolled, keys, and events as they
 *  come. The engine behind it is the one of the page's tests. `CHROMIUM_PATH` names a browser. */
import { enter, launch, openPage } from "../e2e/browser.test.helper.ts";
import { startFakeServer } from "../e2e/fake-server.test.helper.ts";
import { addThread, DESCRIPTOR, makeWorld, NOW, step } from "../e2e/world.test.helper.ts";

const ROUNDS = 5;
const STEPS = 10_000;
const FRAMES = 300;
const KEYS = 40;
const ROLES = 50;
const FLOOD_MS = 4_000;
const WORDS = 60;
const [LONG, MANY, LIVE] = ["LONG", "MANYROLES", "LIVE"];

const world = makeWorld();
const roleNames = Array.from({ length: ROLES }, (_, n) => `role-${n}`);
const roleAt = (n) => roleNames[n % ROLES] ?? "";
addThread(world, LONG, {
  status: "running",
  steps: Array.from({ length: STEPS }, (_, n) => step(n + 1, n % 3 === 0 ? "planner" : "coder")),
});
addThread(world, MANY, {
  steps: Array.from({ length: 200 }, (_, n) =>
    step(n + 1, roleAt(n), {
      route: {
        from: n === 0 ? "__start__" : roleAt(n - 1),
        to: roleAt(n),
        condition: "FALLBACK",
        rule: 0,
        prompt: "",
      },
    }),
  ),
});
addThread(world, LIVE, { status: "running", steps: [step(1, "planner")] });
const someRole = DESCRIPTOR.roles.coder;
const manyRoles = {
  description: "Many roles, one after the other",
  roles: Object.fromEntries(roleNames.map((name) => [name, someRole])),
  graph: {
    edges: ["__start__", ...roleNames].map((from, n) => ({
      ...{ from, to: roleAt(n), condition: "FALLBACK", when: null, prompt: null, location: null },
    })),
  },
};

const live = (threadId, item, seq) => ({
  type: "live",
  topic: `thread:${threadId}`,
  item: { ...item, seq },
});
const says = (text, seq) =>
  live(
    LIVE,
    {
      ...{ threadId: LIVE, timestamp: NOW, role: "coder", round: 2 },
      ...{ type: "agent", event: { type: "text", text } },
    },
    seq,
  );

const browser = await launch();
const server = await startFakeServer(world);
try {
  await compareLoads(browser, server);
  await withPage(browser, server, `${LONG}?step=5000`, watchScrolling);
  await withPage(browser, server, `${LONG}?step=7777`, watchReader);
  world.descriptor = manyRoles;
  await withPage(browser, server, MANY, watchKeys);
  world.descriptor = DESCRIPTOR;
  await withPage(browser, server, LIVE, watchEvents);
} finally {
  await browser.close();
  await server.stop();
}

async function withPage(browser, { url }, at, watch) {
  const { page, problems, close } = await openPage(browser, url);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  await enter(page, url, `/c/laptop/t/${at}`);
  await watch(page, cdp);
  await close();
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

async function compareLoads(browser, { url }) {
  const [cold, first, next] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { page, close } = await openPage(browser, url);
    await enter(page, url, "/access");
    const load = async (go) => {
      const began = performance.now();
      await go();
      await page.getByRole("region", { name: "Step 7777", exact: true }).waitFor();
      await page.getByRole("option", { name: /^7777 / }).waitFor();
      return performance.now() - began;
    };
    await page.context().clearCookies();
    cold.push(await load(() => page.goto(`${url}/c/laptop/t/${LONG}?step=7777`)));
    first.push(await load(() => page.reload()));
    next.push(await load(() => page.reload()));
    await close();
  }
  printTable(`a thread of ${STEPS} steps, median of ${ROUNDS}`, [
    { what: "until a step of it is shown, by a link", figure: ms(median(cold)), bar: "1500 ms" },
    { what: "again, by the first reload in a browser", figure: ms(median(first)) },
    // The browser has the code compiled by then.
    { what: "by the next one", figure: ms(median(next)), bar: "500 ms" },
  ]);
}

/** Each frame moves the list by about ten rows. */
async function watchScrolling(page, cdp) {
  await page.getByRole("option", { name: /^5000 / }).waitFor();
  const before = await metrics(cdp);
  const frames = await page.evaluate(`new Promise((resolve) => {
    const list = document.querySelector('[role="listbox"][aria-label="Steps"]');
    const frames = [];
    let last = null;
    const frame = (now) => {
      if (last !== null) frames.push(now - last);
      last = now;
      list.scrollTop += 300;
      if (frames.length < ${FRAMES}) requestAnimationFrame(frame);
      else resolve(frames);
    };
    requestAnimationFrame(frame);
  })`);
  const script = ((await metrics(cdp)).ScriptDuration - before.ScriptDuration) * 1_000;
  printTable(`scrolling it, ${FRAMES} frames`, [
    { what: "a frame, p50", figure: ms(share(frames, 0.5)), bar: "17 ms" },
    { what: "a frame, p95", figure: ms(share(frames, 0.95)), bar: "34 ms" },
    { what: "script of a frame", figure: ms(script / FRAMES), bar: "5 ms" },
  ]);
}

/** Somebody reads step 7777 while 50 steps a second are added. */
async function watchReader(page) {
  const row = page.getByRole("option", { name: /^7777 / });
  await row.waitFor();
  await listening(LONG);
  const before = await row.boundingBox();
  const thread = world.threads.get(LONG);
  if (thread === undefined || before === null) throw new Error("there is no such row");
  for (let n = 1; n <= 100; n += 1) {
    const { round, stateHash, role } = step(STEPS + n, "coder");
    thread.steps.push(step(round, role));
    Object.assign(thread.head, { head: stateHash, stepCount: round });
    const event = { threadId: LONG, timestamp: NOW, role, round };
    world.send(live(LONG, { ...event, type: "step_completed", stateHash, meta: {} }, n));
    await sleep(20);
  }
  await page.getByText(`${STEPS + 100} steps`).waitFor();
  const after = await row.boundingBox();
  printTable("a reader, while 50 steps a second are added", [
    { what: "moved by", figure: `${Math.abs((after?.y ?? 0) - before.y)} px`, bar: "0 px" },
  ]);
}

/** From the key until the frame with the next step and its node in the graph. */
async function watchKeys(page) {
  await page
    .locator(".react-flow__node")
    .nth(ROLES - 1)
    .waitFor();
  await page.keyboard.press("j");
  await page.getByRole("region", { name: "Step 1", exact: true }).waitFor();
  const took = [];
  for (let n = 2; n < 2 + KEYS; n += 1) {
    // Not waited for here: the key is pressed once somebody listens.
    await page.evaluate(`void (globalThis.shown = new Promise((resolve) => {
      addEventListener("keydown", ({ timeStamp }) => {
        const look = () => {
          const here = document.querySelector('[data-light="here"]');
          if (document.querySelector('[aria-label="Step ${n}"]') && here?.textContent.includes(${JSON.stringify(roleAt(n - 1))}))
            requestAnimationFrame(() => resolve(performance.now() - timeStamp));
          else requestAnimationFrame(look);
        };
        look();
      }, { once: true, capture: true });
    }))`);
    await page.keyboard.press("j");
    took.push(await page.evaluate("globalThis.shown"));
  }
  printTable(`the next step by a key, ${ROLES} roles in the graph`, [
    { what: "until it is shown and lit, median", figure: ms(median(took)), bar: "50 ms" },
    { what: "p95", figure: ms(share(took, 0.95)) },
  ]);
}

async function watchEvents(page, cdp) {
  await listening(LIVE);
  let seq = 1;
  const started = { threadId: LIVE, timestamp: NOW, role: "coder", round: 2 };
  world.send(
    live(LIVE, { ...started, type: "step_started", condition: "FALLBACK", said: null }, seq++),
  );
  await page.getByRole("region", { name: "Step under way" }).waitFor();
  const late = [];
  for (let n = 0; n < WORDS; n += 1) {
    const shown = page.evaluate(`new Promise((resolve) => {
      const look = () => document.querySelector('[role="log"]')?.textContent.includes("word-${n}.")
        ? resolve(Date.now()) : requestAnimationFrame(look);
      look();
    })`);
    await sleep(30);
    const said = Date.now();
    world.send(says(`word-${n}. `, seq++));
    late.push((await shown) - said);
  }
  const [before, began] = [await metrics(cdp), performance.now()];
  let sent = 0;
  while (performance.now() - began < FLOOD_MS) {
    // As many as are due, so that a timer that comes late changes nothing.
    for (const due = (performance.now() - began) * 5; sent < due; sent += 1)
      world.send(says(`${sent} `, seq++));
    await sleep(5);
  }
  const tookMs = performance.now() - began;
  const busy = ((await metrics(cdp)).TaskDuration - before.TaskDuration) * 1_000;
  world.send(says("the-last-word", seq++));
  await page.getByText("the-last-word").first().waitFor();
  printTable("events of an agent", [
    { what: "from its mouth to the page, p50", figure: ms(share(late, 0.5)) },
    { what: "p95", figure: ms(share(late, 0.95)), bar: "250 ms" },
    {
      what: "sent in a flood",
      figure: `${Math.round((sent * 1_000) / tookMs)} /s`,
      bar: "5000 /s",
    },
    {
      what: "main thread, of the time",
      figure: `${Math.round((busy / tookMs) * 100)} %`,
      bar: "40 %",
    },
  ]);
}

async function listening(id) {
  while (![...world.listeners].some(({ topics }) => topics.includes(`thread:${id}`)))
    await sleep(20);
}

async function metrics(cdp) {
  const { metrics } = await cdp.send("Performance.getMetrics");
  const of = (wanted) => metrics.find(({ name }) => name === wanted)?.value ?? 0;
  return { ScriptDuration: of("ScriptDuration"), TaskDuration: of("TaskDuration") };
}

function share(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}

function sleep(forMs) {
  return new Promise((resolve) => {
    setTimeout(resolve, forMs);
  });
}

function median(values) {
  return share(values, 0.5);
}

function ms(value) {
  return `${value.toFixed(value < 10 ? 3 : 1)} ms`;
}

function printTable(title, rows) {
  console.log(`\n${title}`);
  for (const { what, figure, bar } of rows)
    console.log(
      `  ${what.padEnd(42)}${figure.padStart(12)}${bar === undefined ? "" : `   bar ${bar}`}`,
    );
}
