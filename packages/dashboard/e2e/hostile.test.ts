import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { enter, launch, openPage } from "./browser.test.helper.ts";
import { type FakeServer, startFakeServer } from "./fake-server.test.helper.ts";
import { VIEWS, worldToSee } from "./views.test.helper.ts";
import { addThread, makeWorld, NOW, step, WORKSPACE } from "./world.test.helper.ts";

const world = makeWorld();
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

/** How often every view is visited; each time, every name has another of the texts. */
const TURNS = 2;
/** Shows that what was written has arrived on the page. */
const MARK = "so called";

/** What agents and authors might write so that it runs, loads, leads or freezes. Each would set `document.title`, open a
 *  dialog or ask another host; the browser is watched for all of it. */
const HOSTILE: { readonly [name: string]: string } = {
  script: "<script>document.title='owned';alert(1)</script>",
  image: "<img src=x onerror=\"document.title='owned'\">",
  "markdown image": "![pixel](https://evil.example/pixel.png)",
  "reference image": "![a][b]\n\n[b]: https://evil.example/b.png",
  "javascript link": "[click](javascript:document.title='owned')",
  "data link": "[click](data:text/html,<script>alert(1)</script>)",
  "encoded link": "[click](&#106;avascript:alert(1))",
  autolink: "<javascript:alert(1)>",
  svg: "<svg onload=alert(1)><use href=https://evil.example/#x></svg>",
  iframe: "<iframe src=https://evil.example></iframe><object data=https://evil.example></object>",
  style:
    "<style>@import 'https://evil.example/x.css'</style><link rel=stylesheet href=https://evil.example/y.css>",
  base: "<base href=https://evil.example><meta http-equiv=refresh content='0;url=https://evil.example'>",
  form: "<form action=https://evil.example><input name=token autofocus onfocus=alert(1)></form>",
  bidi: "safe \u202E txt.exe \u2066 hidden \u200B\u0000\u0007",
  ansi: "\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 \u001b[2J\u001b[999;1H",
  clobber:
    "<a id=page name=__proto__></a><form id=document><input name=body></form>\n\n```html\n</code></pre><script>alert(1)</script>\n```",
  deep: `${"> ".repeat(4_000)}x\n${"[".repeat(20_000)}${"*a ".repeat(9_000)}`,
};

/** What a hostile text has made of a page. */
async function faultsOf(page: Page): Promise<string[]> {
  const made = "img, iframe, object, form[action], base, main script, main style";
  const title = await page.title();
  const links = await page
    .locator("main a")
    .evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  return [
    ...(title === "Uncaged workflow" ? [] : [`title: ${title}`]),
    ...(await page.locator(made).evaluateAll((all) => all.map(({ outerHTML }) => outerHTML))),
    ...links.filter((href) => !/^(\/|https:|mailto:)/.test(href)).map((href) => `link: ${href}`),
  ];
}

for (const [name, text] of Object.entries(HOSTILE)) {
  test(`nothing runs, loads or leads: ${name}`, async () => {
    const id = `H${name.replaceAll(" ", "")}`;
    const wait = {
      kind: "person" as const,
      role: text,
      message: text,
      form: {
        type: "object",
        properties: {
          [text]: { type: "string", title: text, description: text },
          choice: { enum: [text] },
        },
      },
      route: null,
      since: NOW,
      deadline: null,
      assignees: [text],
    };
    const hostile = step(1, text, {
      content: text,
      workspace: WORKSPACE,
      meta: { status: text.slice(0, 30), [text]: text },
      route: { from: text, to: text, condition: text, rule: 0, prompt: text },
    });
    addThread(world, id, {
      title: text,
      labels: { [text]: text },
      status: "suspended",
      suspended: wait,
      waits: [wait],
      steps: [hostile],
      result: { returnCode: 1, summary: text, rootHash: "R", value: text },
    });
    world.inbox = [id];
    const { page, problems, close } = await openPage(browser, server.url);
    await enter(page, server.url, "/c/laptop/threads");
    await page.locator("li a").first().waitFor();
    for (const tab of ["said", "meta", "route", "raw"]) {
      await page.goto(`${server.url}/c/laptop/t/${id}?step=1&tab=${tab}`);
      await page.getByRole("tabpanel").waitFor();
    }
    await page.goto(`${server.url}/c/laptop/t/${id}?step=1&tab=files`);
    await page.getByRole("button", { name: "src/slugify.js" }).click();
    await page.getByText("The rest is not shown here").waitFor();
    await page.goto(`${server.url}/c/laptop/t/${id}?step=0`);
    await page.getByText("Facts").waitFor();
    await page.goto(`${server.url}/c/laptop/inbox`);
    await page.getByRole("button", { name: "What went before" }).click();
    await page.getByText("Step 1,").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
    await close();
  });
}

test("nothing runs, loads or leads in any view, whatever things are called", async () => {
  const everywhere = worldToSee();
  const texts = Object.values(HOSTILE);
  const telling = await startFakeServer(everywhere);
  const { page, problems, close } = await openPage(browser, telling.url);
  await enter(page, telling.url, "/");
  for (let turn = 0; turn < TURNS; turn += 1) {
    // The same name has the same text everywhere, so that what belongs together still does.
    everywhere.tell = (text) => `${text} ${MARK} ${texts[(text.length + turn * 5) % texts.length]}`;
    for (const { name, path } of VIEWS) {
      await page.goto(telling.url + path);
      await page
        .locator("main")
        .getByText(MARK)
        .filter({ visible: true })
        .first()
        .waitFor()
        .catch(() => problems.push(`${name}: nothing written is shown`));
      expect(await faultsOf(page), name).toEqual([]);
    }
  }
  expect(problems).toEqual([]);
  await close();
  await telling.stop();
}, 480_000);

test("8 MiB in a step, in one line or many, never freezes the tab", async () => {
  const MANY = 8 * 1024 * 1024;
  for (const [id, content] of [
    ["ONELINE", "x".repeat(MANY)],
    ["LINES", "a line of a log\n".repeat(MANY / 16)],
    [
      "JSON",
      JSON.stringify({
        rows: Array.from({ length: 200_000 }, (_, n) => ({ n, of: "a log that has rows" })),
      }),
    ],
    ["COLOURS", "\u001b[31mred\u001b[0m ".repeat(MANY / 16)],
  ] as const) {
    addThread(world, id, {
      steps: [step(1, "coder", { content, stateHash: id, meta: { log: content } })],
    });
  }
  const { page, problems, close } = await openPage(browser, server.url);
  await enter(page, server.url, "/");
  for (const id of ["ONELINE", "LINES", "JSON", "COLOURS"]) {
    for (const tab of ["said", "meta", "raw"]) {
      await page.goto(`${server.url}/c/laptop/t/${id}?step=1&tab=${tab}`);
      await page.getByRole("button", { name: "Show more" }).first().waitFor({ timeout: 20_000 });
      await page.getByRole("button", { name: "Show more" }).first().click();
      // What is typed is answered: the page is not busy with the text.
      const began = Date.now();
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
      expect(Date.now() - began).toBeLessThan(5_000);
      expect(await page.locator("main").evaluate((main) => main.innerHTML.length)).toBeLessThan(
        2_000_000,
      );
    }
  }
  expect(problems).toEqual([]);
  await close();
}, 240_000);
