/** Verbs for several threads at once, by the built command. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadSummary, ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  await cli.addSteps("others");
});
afterAll(() => cli.close());

const NOWHERE = "0000000000ZZZZZZZZZZZZZZZZ";

type Failed = { threadId: string; error: { code: string; message: string; hint: string } };

async function run(plan: object, ...more: string[]): Promise<string> {
  const words = ["run", "steps", "-p", JSON.stringify(plan), ...more];
  const call = more.includes("--idle") ? cli.here : cli.json;
  return (await call<{ threadId: string }>(words)).threadId;
}

async function document<T>(args: readonly string[]): Promise<{ code: number | null; entries: T }> {
  const { code, stdout } = await cli.run([...args, "--json"]);
  const entries: T = JSON.parse(stdout);
  return { code, entries };
}

async function statusOf(threadId: string): Promise<string> {
  return (await cli.here<{ status: string }>(["show", threadId])).status;
}

/** Ends and removes all threads. */
async function emptied(): Promise<void> {
  await cli.here(["thread", "kill", "--all", "--yes"]);
  await cli.here(["thread", "rm", "--all", "--yes"]);
}

describe("names of threads", () => {
  type Listed = { threads: ThreadSummary[] };
  const named = async (...filter: string[]): Promise<(string | null)[]> =>
    (await cli.json<Listed>(["list", ...filter])).threads.map(({ title }) => title);

  it("are found by words and labels, and kept by forks, exports and imports", async () => {
    const labels = ["--label", "team=core", "--label", "keep"];
    const id = await run({ steps: 1 }, "--title", "Mend the login", "--idle", ...labels);
    const plain = await run({ steps: 2, note: "login" }, "--idle");
    const fork = await cli.json<{ threadId: string }>(["thread", "fork", id, "--idle"]);
    const line = JSON.stringify({ steps: 2, note: "login" });
    expect(await named("--text", "LOGIN")).toEqual(["Mend the login", line, "Mend the login"]);
    expect(await named("--text", "login mend steps", "--label", "keep")).toHaveLength(2);
    expect(await named("--label", "team=core", "--text", "nobody said this")).toEqual([]);
    expect((await cli.run(["list", "--label", "team=web"])).stdout).toBe("no thread matches\n");
    expect((await cli.run(["list", "--text", "mend"])).stdout).toContain("Mend the login");

    await cli.json(["thread", "export", id, "--out", join(cli.dir, "named.tar")]);
    const elsewhere = { env: { WORKFLOW_STORAGE_ROOT: join(cli.dir, "elsewhere") } };
    await cli.json(["thread", "import", join(cli.dir, "named.tar")], elsewhere);
    const words = ["list", "--text", "login steps", "--label", "team=core", "--label", "keep"];
    const { threads } = await cli.json<Listed>(words, elsewhere);
    expect(threads).toMatchObject([
      { threadId: id, title: "Mend the login", labels: { team: "core", keep: "" } },
    ]);
    const view = await cli.json<ThreadView>(["show", fork.threadId]);
    expect(view).toMatchObject({ title: "Mend the login", labels: { team: "core", keep: "" } });
    await cli.run(["thread", "rm", "--yes", id, plain, fork.threadId]);
  });

  it.each([
    [["--title", ""]],
    [["--title", "two\nlines"]],
    [["--label", "=core"]],
    [["--label", "a b=c"]],
    [["--label", "a=1", "--label", "a=2"]],
  ])("are refused when they are none: %j", async (words) => {
    const { exit, code } = await cli.fails(["run", "steps", "-p", "{}", ...words]);
    expect([exit, code]).toEqual([2, "USAGE"]);
  });
});

describe("waiting for threads", () => {
  it("for one thread returns its code, with the document of run --wait", async () => {
    const threadId = await run({ steps: 1 });
    const { code, entries } = await document(["thread", "wait", threadId]);
    expect(code).toBe(0);
    expect(entries).toMatchObject({ threadId, status: "completed", returnCode: 0 });
    const failed = await run({ steps: 1, failAt: 1 });
    expect((await cli.run(["wait", failed.slice(-10)])).code).toBe(1);
  });

  it("for several returns the worst code, and an entry for each", async () => {
    const ids = [
      await run({ steps: 1 }),
      await run({ steps: 2, suspendAt: 1 }),
      await run({ steps: 1, failAt: 1 }),
    ];
    const { code, entries } = await document<{ threadId: string; status: string }[]>([
      "thread",
      "wait",
      ...ids,
      ids[0] ?? "",
    ]);
    expect(code).toBe(7);
    const statuses = new Map(entries.map((each) => [each.threadId, each.status]));
    expect(ids.map((id) => statuses.get(id))).toEqual(["completed", "suspended", "failed"]);
    expect(entries).toHaveLength(3);
    const text = await cli.run(["wait", ...ids]);
    expect(text.code).toBe(7);
    for (const id of ids) expect(text.stdout).toContain(id);
  });

  it("with --any returns as soon as one has ended", async () => {
    const slow = await run({ steps: 1, gate: "never" });
    const quick = await run({ steps: 1 });
    const { code, entries } = await document(["wait", slow, quick, "--any"]);
    expect(code).toBe(0);
    expect(entries).toMatchObject([{ threadId: quick, status: "completed" }]);
    expect(await statusOf(slow)).toBe("running");
    await cli.run(["kill", slow]);
  });

  it("refuses a name that matches no thread before it waits", async () => {
    const slow = await run({ steps: 1, gate: "never" });
    const { exit, code } = await cli.fails(["wait", slow, NOWHERE]);
    expect([exit, code]).toEqual([1, "THREAD_NOT_FOUND"]);
    await cli.run(["kill", slow]);
  });

  it("leaves the threads alone when it is interrupted", async () => {
    const ids = [await run({ gate: "never" }), await run({ gate: "never" })];
    const { code, stdout, stderr } = await cli.run(["wait", ...ids], {
      at: { stderr: /waiting for 2 threads/, act: (_match, kill) => kill("SIGINT") },
    });
    expect(code).toBe(130);
    expect(stderr).toContain("2 threads continue in the background");
    for (const id of ids) expect(stdout).toContain(`running  ${id}`);
    await cli.json(["kill", ...ids]);
  });
});

describe("a verb for several threads", () => {
  it("handles each, reports each failure, and returns the worst code", async () => {
    const [one, two] = [await run({}, "--idle"), await run({}, "--idle")];
    const { code, entries } = await document<(ThreadSummary | Failed)[]>([
      "thread",
      "pause",
      one,
      NOWHERE,
      two,
    ]);
    expect(code).toBe(1);
    expect(entries).toMatchObject([
      { threadId: one, status: "paused" },
      { threadId: NOWHERE, error: { code: "THREAD_NOT_FOUND" } },
      { threadId: two, status: "paused" },
    ]);
    const again = await cli.run(["thread", "kill", one, NOWHERE, two]);
    expect(again.code).toBe(1);
    // Processed in parallel, and reported as each is done.
    const told = [`${one} is aborted`, `${two} is aborted`, ""];
    expect(again.stdout.split("\n").sort()).toEqual(told.sort());
    expect(again.stderr).toContain("kill 2 threads: 2 paused");
    expect(again.stderr).toContain("[THREAD_NOT_FOUND]");
    expect(again.stderr).toContain("1 of 3 threads failed");
    const third = await document<Failed[]>(["thread", "kill", one, two]);
    expect(third.code).toBe(3);
    expect(third.entries.map(({ error }) => error.code)).toEqual([
      "TRANSITION_INVALID",
      "TRANSITION_INVALID",
    ]);
  });

  it("chooses by status, workflow and age, and leaves all others alone", async () => {
    const idle = await run({}, "--idle");
    const { threadId: other } = await cli.json<{ threadId: string }>(["run", "others", "--idle"]);
    const paused = await run({}, "--idle");
    await cli.run(["thread", "pause", paused]);
    const young = ["thread", "kill", "--all", "--older-than", "1h"];
    expect(await document(young)).toEqual({ code: 0, entries: [] });
    const killed = ["kill", "--status", "idle", "--workflow", "others", "--yes"];
    expect((await document(killed)).entries).toMatchObject([{ threadId: other }]);
    expect([await statusOf(idle), await statusOf(paused)]).toEqual(["idle", "paused"]);
    const stopped = await document<{ threadId: string }[]>(["thread", "pause", "--all"]);
    expect(stopped.entries.map(({ threadId }) => threadId)).toEqual([idle]);
    const removed = await document(["thread", "rm", "--workflow", "others"]);
    expect(removed.entries).toEqual([{ threadId: other, removed: true }]);
  });

  it("resumes all idle threads, and waits for them", async () => {
    await cli.run(["kill", "--all"]);
    const ids = [await run({ steps: 1 }, "--idle"), await run({ steps: 1, failAt: 1 }, "--idle")];
    const asked = await run({ steps: 2, suspendAt: 1 });
    await cli.run(["wait", asked]);
    const { code, entries } = await document<{ threadId: string }[]>(["resume", "--all", "--wait"]);
    expect(code).toBe(1);
    expect(entries).toHaveLength(2);
    expect(new Map(entries.map((each) => [each.threadId, each]))).toEqual(
      new Map(
        ids.map((threadId, at) => [
          threadId,
          expect.objectContaining({ threadId, status: at === 0 ? "completed" : "failed" }),
        ]),
      ),
    );
    expect(await statusOf(asked)).toBe("suspended");
    const answered = await document(["resume", "--status", "suspended", "-p", "yes", "--wait"]);
    expect(answered).toMatchObject({ code: 0, entries: [{ threadId: asked, returnCode: 0 }] });
  });

  it("exports each into a separate file", async () => {
    const ids = [await run({}, "--idle"), await run({}, "--idle")];
    const folder = join(cli.dir, "exports");
    mkdirSync(folder);
    writeFileSync(join(folder, `${ids[1]}.thread.tar`), "mine");
    const { code, entries } = await document(["thread", "export", ...ids, "--out", "exports"]);
    expect(code).toBe(2);
    expect(entries).toMatchObject([
      { threadId: ids[0], file: join(folder, `${ids[0]}.thread.tar`) },
      { threadId: ids[1], error: { code: "TARGET_EXISTS" } },
    ]);
    expect(existsSync(join(folder, `${ids[0]}.thread.tar`))).toBe(true);
    expect(readFileSync(join(folder, `${ids[1]}.thread.tar`), "utf8")).toBe("mine");
  });

  it("needs either ids or a selection, and only threads to which it applies", async () => {
    for (const words of [
      ["thread", "kill"],
      ["thread", "kill", NOWHERE, "--all"],
      ["thread", "kill", "--status", "completed"],
      ["thread", "rm", "--older-than", "soon"],
      ["resume", NOWHERE, NOWHERE, "--live"],
    ]) {
      expect((await cli.fails(words)).exit, words.join(" ")).toBe(2);
    }
  });
});

describe("each verb for several threads", () => {
  type Served = { threadId: string }[];
  const ids = (entries: Served): string[] => entries.map(({ threadId }) => threadId).sort();

  it.each([
    ["pause", "idle", "idle", "paused"],
    ["resume", "paused", "paused", "completed"],
    ["stop", "running", "running", "idle"],
    ["kill", "idle", "idle", "aborted"],
    ["rm", "aborted", "aborted", null],
    ["export", "idle", "idle", "idle"],
  ] as const)(
    "%s takes ids, and selections by status, workflow and age",
    async (verb, from, status, to) => {
      const plan = from === "running" ? { steps: 1, gate: "never" } : { steps: 1 };
      const start = async (): Promise<string> => {
        const id = await run(plan, ...(from === "running" ? [] : ["--idle"]));
        if (from === "paused") await cli.here(["thread", "pause", id]);
        if (from === "aborted") await cli.here(["thread", "kill", id]);
        return id;
      };
      const out = (n: number): string[] => {
        if (verb !== "export") return [];
        mkdirSync(join(cli.dir, `${verb}-${n}`));
        return ["--out", `${verb}-${n}`];
      };
      const more = verb === "resume" ? ["--wait"] : [];
      const selections = [
        ["--all"],
        ["--status", status],
        ["--workflow", "steps"],
        ["--older-than", "0"],
        ["--status", status, "--workflow", "steps", "--older-than", "0"],
      ];
      await emptied();
      for (const [n, words] of [null, ...selections].entries()) {
        const made = [await start(), await start()].sort();
        const chosen = words ?? made;
        const call = ["thread", verb, ...chosen, ...more, ...out(n), "--yes"];
        const { code, entries } = await document<Served>(call);
        expect([code, ids(entries)], call.join(" ")).toEqual([0, made]);
        for (const id of made) {
          if (to === null)
            await expect(cli.here(["show", id]), call.join(" ")).rejects.toThrow(
              "THREAD_NOT_FOUND",
            );
          else expect(await statusOf(id), call.join(" ")).toBe(to);
        }
        await emptied();
      }
    },
    300_000,
  );
});

describe("labels and who is next", () => {
  it("labels are set, shown and removed after the start, and keep protects", async () => {
    const id = await run({ steps: 1 }, "--wait", "--label", "draft");
    const label = async (...words: string[]): Promise<unknown> =>
      (await cli.json(["thread", "label", id, ...words])).labels;
    expect(await label("keep", "team=core", "draft-")).toEqual({ keep: "", team: "core" });
    expect((await cli.run(["thread", "label", id])).stdout).toBe("keep\nteam=core\n");
    const pruned = ["thread", "prune", "--older-than", "0", "--yes"];
    await cli.run(pruned);
    expect(await statusOf(id)).toBe("completed");
    for (const words of [["keep", "keep-"], ["a b=c"], ["-"]])
      expect((await cli.fails(["thread", "label", id, ...words])).code).toBe("USAGE");
    await label("keep-");
    await cli.run(pruned);
    expect((await cli.fails(["show", id])).code).toBe("THREAD_NOT_FOUND");
  });

  it("list --json names the role that is next", async () => {
    await emptied();
    const fresh = await run({ steps: 1 }, "--idle");
    const worked = await run({ steps: 1 }, "--idle");
    await cli.json(["thread", "exec", worked]);
    const asking = await run({ steps: 2, suspendAt: 1 });
    await cli.run(["wait", asking]);
    const busy = await run({ steps: 1, gate: "never" });
    const done = await run({ steps: 1 }, "--wait");
    type Next = { threadId: string; nextRole: string | null }[];
    const { threads } = await cli.json<{ threads: Next }>(["list"]);
    const next = new Map(threads.map((each) => [each.threadId, each.nextRole]));
    expect([fresh, worked, asking, busy, done].map((id) => next.get(id))).toEqual([
      ...["worker", "checker", "worker", "worker", null],
    ]);
    await cli.run(["thread", "kill", "--all", "--yes"]);
  });
});

describe("shortcuts", () => {
  it("are listed separately in the help, and do what the long form does", async () => {
    const { stdout } = await cli.run(["--help"]);
    const [, shortcuts = ""] = stdout.split("Shortcuts:");
    const names = [...shortcuts.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    expect(names).toEqual([
      ...["run", "live", "list", "ps", "show", "inbox", "wait", "resume", "answer", "kill"],
    ]);
    for (const name of ["list", "ps", "inbox"]) {
      expect(await cli.json([name])).toEqual(await cli.json(["thread", name]));
    }
  });

  it("inbox lists what waits for a person", async () => {
    const asked = await run({ steps: 2, suspendAt: 1 });
    await cli.run(["wait", asked]);
    const { threads } = await cli.json<{ threads: ThreadSummary[] }>(["inbox"]);
    expect(threads.map(({ threadId }) => threadId)).toEqual([asked]);
    expect((await cli.run(["inbox"])).stdout).toContain(`thread resume ${asked} -p <answer>`);
  });

  it("a mistyped word is answered with the nearest one, wherever it appears", async () => {
    const hints = async (...words: string[]): Promise<string> => (await cli.fails(words)).hint;
    expect(await hints("lits")).toContain("did you mean list?");
    expect(await hints("thread", "lits")).toContain("did you mean list?");
    expect(await hints("poke")).toContain("did you mean thread poke?");
    expect(await hints("poek")).toContain("did you mean thread poke?");
    expect(await hints("pause")).toContain("did you mean thread pause or ");
    expect(await hints("thread", "build")).toContain("did you mean workflow build?");
    expect(await hints("workflow", "run")).toContain("did you mean run?");
    expect(await hints("zzzzzzzz")).toBe("see: uncaged-workflow --help");
  });
});

describe("what a running thread does", () => {
  it("is shown by show and ps while it runs, and not afterwards", async () => {
    const threadId = await run({ steps: 1, gate: "busy" });
    const said = expect.objectContaining({ type: "text", text: "working on step 1\n" });
    let view: ThreadView;
    const deadline = Date.now() + 60_000;
    do view = await cli.json<ThreadView>(["show", threadId]);
    while (view.activity?.current == null && Date.now() < deadline);
    expect(view.activity).toMatchObject({
      role: "worker",
      round: 1,
      current: said,
      recent: [said],
    });
    const { threads } = await cli.json<{ threads: { activity: unknown }[] }>(["ps"]);
    expect(threads.map(({ activity }) => activity)).toEqual([view.activity]);
    const listed = await cli.json<{ threads: ThreadView[] }>(["list", "--status", "running"]);
    expect(listed.threads).toMatchObject([{ threadId, activity: view.activity }]);
    expect((await cli.run(["list"])).stdout).toMatch(/worker .*working on step 1/);
    expect((await cli.run(["show", threadId])).stdout).toMatch(/now #1 worker .*\n.*working on/);
    expect((await cli.run(["ps"])).stdout).toMatch(/worker .*working on step 1/);
    writeFileSync(join(cli.dir, "busy-1"), "");
    await cli.run(["wait", threadId]);
    expect(await cli.json(["show", threadId])).toMatchObject({ activity: null });
  });
});

describe("pruning", () => {
  it("removes old finished threads except those to be kept, and has to be told how old", async () => {
    const kept = await run({ steps: 1 }, "--wait", "--label", "keep");
    const gone = await run({ steps: 1 }, "--wait");
    const idle = await run({ steps: 1 }, "--idle");
    const { exit, code } = await cli.fails(["thread", "prune"]);
    expect([exit, code]).toEqual([2, "USAGE"]);
    const none = await cli.run(["thread", "prune", "--older-than", "1d"]);
    expect(none.stdout).toBe("no thread is old enough\n");
    const pruned = await cli.json<{ threadId: string; removed: true }[]>([
      ...["thread", "prune", "--older-than", "0", "--yes"],
    ]);
    const ids = pruned.map(({ threadId }) => threadId);
    expect(ids).toContain(gone);
    expect(ids).not.toContain(kept);
    expect(await statusOf(idle)).toBe("idle");
    expect(await statusOf(kept)).toBe("completed");
    const history = (): string =>
      readdirSync(join(cli.root, "bundles"), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => readFileSync(join(cli.root, "bundles", name), "utf8"))
        .join("");
    expect(history()).toContain(gone);
    const again = await cli.run(["thread", "prune", "--older-than", "0", "--history", "--yes"]);
    expect(again.stderr).toMatch(/\d+ threads removed from the history/);
    expect(history()).not.toContain(`"threadId":"${gone}","workflow"`);
    expect(history()).toContain(`"threadId":"${kept}","workflow"`);
    expect(await cli.json(["cas", "fsck"])).toMatchObject({ ok: true });
  });
});
