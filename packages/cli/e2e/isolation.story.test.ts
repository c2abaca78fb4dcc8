/** `config.isolation`: what an agent's program sees in a sandbox, and cannot reach. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";

const flow = (tools: string): string => `
import { createCommandAgent } from "@uncaged/workflow-agent-command";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, START, END } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "looks around",
  roles: { looker: defineRole({ description: "", systemPrompt: "", schema: z.object({ seen: z.string() }), extractRefs: null, ${tools} }) },
  table: { [START]: [{ condition: "FALLBACK", role: "looker" }], looker: [{ condition: "FALLBACK", role: END }] },
});
const adapter = createCommandAgent({ command: "sh", args: ({ ctx }) => ["-c", ctx.start.content], toMeta: ({ output }) => ({ seen: output }) });
export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
`;

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  for (const [name, tools] of [
    ["look", ""],
    ["offline", "tools: { network: false }"],
  ] as const) {
    const file = join(cli.dir, "flow", `${name}.js`);
    writeFileSync(file, flow(tools));
    const built = await cli.json<{ file: string }>(["workflow", "build", file]);
    await cli.json(["workflow", "add", name, built.file]);
  }
  mkdirSync(join(cli.root, "keys"), { recursive: true });
  writeFileSync(join(cli.root, "keys", "attest.key"), "secret");
});
afterAll(() => cli.close());

const UWF = `${process.execPath} ${BIN}`;

type Shown = {
  status: string;
  steps: { meta: { seen: string }; run: { isolation?: string; notes?: string[] } }[];
};

type Seen = Shown["steps"][number] & { threadId: string };

async function seen(
  script: string,
  {
    at = cli.dir,
    env = {},
    by = "look",
  }: { at?: string; env?: Record<string, string>; by?: string } = {},
): Promise<Seen | undefined> {
  const args = ["--json", "run", by, "--wait", "--cwd", at, "--prompt", script];
  const { stdout } = await cli.run(args, { env });
  const { threadId }: { threadId: string } = JSON.parse(stdout);
  const [step] = (await cli.json<Shown>(["thread", "show", threadId])).steps;
  return step && { ...step, threadId };
}

function task(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root };
  const options = { cwd, env, encoding: "utf8" } as const;
  return execFileSync(process.execPath, [BIN, "task", ...args], options);
}

function isolate(how: string): void {
  const file = join(cli.root, "workflow.yaml");
  const rest = readFileSync(file, "utf8").replace(/^config: .*\n/m, "");
  writeFileSync(file, `${rest}config: { isolation: ${how} }\n`);
}

/** The line of what a script said that begins with a word. */
function lineOf(said: string): (word: string) => string {
  return (word) => said.split("\n").find((each) => each.startsWith(`${word} `)) ?? "";
}

it("an agent is in a sandbox unless the configuration says otherwise", async () => {
  const step = await seen(`find ${cli.root}/keys 2>&1`);
  expect(step?.meta.seen).toMatch(/No such file/);
  expect(step?.run.isolation).toMatch(/^(?:bubblewrap|unshare)$/);
});

it("without it, an agent sees the keys and the engine", async () => {
  isolate("none");
  const step = await seen(`cat ${cli.root}/keys/attest.key; tr "\\0" " " < /proc/$PPID/cmdline`);
  expect(step?.meta.seen).toContain("secret");
  expect(step?.meta.seen).toContain("node");
  expect(step?.run.isolation).toBeUndefined();
  const { stdout } = await cli.run(["thread", "show", step?.threadId ?? ""]);
  expect(stdout).toMatch(/^ {2}command /m);
  expect(stdout).not.toContain("sandbox");
});

it("with it, neither, and its folder is writable", async () => {
  isolate("sandbox");
  const step = await seen(
    [
      `find ${cli.root} -type f`,
      `for at in "" -R -l; do umount $at ${cli.root}; unshare -rm umount $at ${cli.root}; done 2>/dev/null; cat ${cli.root}/keys/attest.key 2>&1`,
      `{ echo x > ${cli.root}/workflow.yaml; } 2>/dev/null || echo refused`,
      "ls /proc | grep -c '^[0-9]'",
      "echo here > here.txt && cat here.txt",
      "id -u",
    ].join("\n"),
  );
  const [missing, refused, processes, here, user] = (step?.meta.seen ?? "").split("\n");
  expect(missing).toMatch(/attest.key: No such file/);
  expect(refused).toBe("refused");
  expect(Number(processes)).toBeLessThan(8);
  expect([here, user]).toEqual(["here", String(process.getuid?.())]);
  expect(step?.run.isolation).toMatch(/^(?:bubblewrap|unshare)$/);
  const { stdout } = await cli.run(["thread", "show", step?.threadId ?? ""]);
  expect(stdout).toContain(`in a sandbox (${step?.run.isolation})`);
});

it("a role whose tools have no network reaches nothing but itself", async () => {
  isolate("sandbox");
  const server = createServer((_, response) => response.end("outside"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const get = (url: string): string =>
    `await fetch("${url}").then((got) => got.text()).catch(({ cause }) => cause.code)`;
  const program = `
    const { createServer } = require("node:http");
    const server = createServer((_, response) => response.end("inside")).listen(0, "127.0.0.1", async () => {
      console.log(${get(`http://127.0.0.1:${port}`)});
      console.log(${get('http://127.0.0.1:" + server.address().port + "')});
      server.close();
    });`;
  writeFileSync(join(cli.dir, "ask.cjs"), program);
  const ask = `${process.execPath} ask.cjs`;
  const breakOut = `nsenter --net=/proc/1/ns/net true 2>/dev/null && echo out; nsenter -t ${process.pid} -n true 2>/dev/null && echo out`;

  const online = await seen(ask);
  const offline = await seen(`${breakOut}; ${ask}`, { by: "offline" });
  server.close();
  expect(online?.meta.seen).toMatch(/^outside\ninside$/);
  expect(offline?.meta.seen).toMatch(/^ECONNREFUSED\ninside$/);
  expect(offline?.run.isolation).toMatch(/^(?:bubblewrap|unshare)$/);
});

it("a role whose tools have no network is not played without a sandbox", async () => {
  isolate("none");
  const args = ["run", "offline", "--wait", "--cwd", cli.dir, "--prompt", "echo ran > ran.txt"];
  const { code, stdout } = await cli.run(args);
  expect(code).toBe(1);
  expect(stdout).toContain("config.isolation is none");
  expect(existsSync(join(cli.dir, "ran.txt"))).toBe(false);
  isolate("sandbox");
});

it("where it is only preferred, a step says whether it had one", async () => {
  isolate("auto");
  const step = await seen(`find ${cli.root}/keys 2>&1`);
  expect(step?.meta.seen).toMatch(/No such file/);
  expect(step?.run.isolation).toMatch(/^(?:bubblewrap|unshare)$/);
  expect(step?.run.notes).toBeUndefined();

  const bin = join(cli.dir, "bin");
  mkdirSync(bin);
  for (const program of ["sh", "cat", "node"])
    symlinkSync(execFileSync("which", [program], { encoding: "utf8" }).trim(), join(bin, program));
  const without = await seen(`cat ${cli.root}/keys/attest.key`, { env: { PATH: bin } });
  expect(without?.meta.seen).toBe("secret");
  expect(without?.run.isolation).toBeUndefined();
  expect(without?.run.notes).toEqual(["in no sandbox: neither bubblewrap nor unshare works here"]);
  isolate("sandbox");
});

it.runIf(process.getuid?.() === 0)(
  "where it is only preferred, root works in the folder of another user without one",
  async () => {
    const at = join(cli.dir, "lent");
    mkdirSync(at);
    const script = "echo more > file && cat file";
    for (const [how, owner] of [
      ["auto", 4_321],
      ["auto", 0],
      ["sandbox", 0],
    ] as const) {
      isolate(how);
      writeFileSync(join(at, "file"), "");
      for (const path of [at, join(at, "file")]) chownSync(path, owner, owner);
      const step = await seen(script, { at });
      expect(step?.meta.seen).toBe("more");
      if (owner === 0) expect(step?.run.isolation).toMatch(/^(?:bubblewrap|unshare)$/);
      else expect(step?.run.notes).toEqual([expect.stringContaining("owns the folder")]);
    }
  },
);

it("inside, commands reach the step's own conversation and texts, and nothing else of the store", async () => {
  const other = await cli.json<{ threadId: string }>(["run", "look", "--wait", "--prompt", "true"]);
  isolate("sandbox");
  const step = await seen(
    [
      `echo 'phase one' | ${UWF} cas put - > hash.txt`,
      `echo "put $(${UWF} cas get --payload $(cat hash.txt))"`,
      `${UWF} thread context $UNCAGED_THREAD_ID | grep -c 'the words of the task'`,
      "# the words of the task",
      `echo "other $(${UWF} --json thread context ${other.threadId} 2>&1)"`,
      `echo "list $(${UWF} --json thread list 2>&1)"`,
      `echo "blobs $(${UWF} --json cas list 2>&1)"`,
      `echo "posing $(UNCAGED_STEP_STORE="$(echo "$UNCAGED_STEP_STORE" | sed 's/"pass":"./"pass":"-/')" ${UWF} --json cas get $(cat hash.txt) 2>&1)"`,
      `echo "long $(head -c 17000000 /dev/zero | tr "\\0" x | ${UWF} --json cas put - 2>&1)"`,
      `echo "elsewhere $(WORKFLOW_STORAGE_ROOT=${cli.dir}/another ${UWF} --json thread list 2>&1)"`,
    ].join("\n"),
  );
  const said = step?.meta.seen ?? "";
  const line = lineOf(said);
  expect(line("put"), said).toBe("put phase one");
  expect(said).toMatch(/^[1-9]\d*$/m);
  expect(line("other")).toMatch(/ACCESS_DENIED.*not the thread of this step/);
  expect(line("list")).toMatch(/ACCESS_DENIED.*covers the storage root/);
  expect(line("blobs")).toMatch(/ACCESS_DENIED/);
  expect(line("posing")).toMatch(/ACCESS_DENIED.*another step/);
  expect(line("long")).toMatch(/USAGE.*up to 16 MiB.*in parts/);
  expect(line("elsewhere")).toContain('"threads":[]');
  const hash = readFileSync(join(cli.dir, "hash.txt"), "utf8").trim();
  expect(await cli.json(["cas", "get", "--payload", hash])).toMatchObject({
    content: "phase one\n",
  });
});

it("inside, an agent does its task, and a reviewer's role reviews it", async () => {
  const [repository, another] = ["shop", "other"].map((name) => {
    const at = join(cli.dir, name);
    const git = (...args: string[]) => execFileSync("git", args, { cwd: at });
    mkdirSync(at);
    git("init", "-q", "-b", "main");
    for (const [key, value] of [
      ["user.name", "ada"],
      ["user.email", "ada@example.org"],
    ] as const)
      git("config", key, value);
    git("commit", "-q", "--allow-empty", "-m", "first");
    return at;
  }) as [string, string];
  for (const [id, at] of [
    ["fix", repository],
    ["more", repository],
    ["elsewhere", another],
  ] as const)
    task(at, "spawn", id);

  isolate("sandbox");
  const step = await seen(
    [
      `echo "foreign $(${UWF} --json task fail --task more no 2>&1)"`,
      `echo "another $(cd ${another} && ${UWF} --json task status 2>&1)"`,
      `echo "posing $(mv .git .was; echo "gitdir: ${another}/.git" > .git; ${UWF} --json task status 2>&1; rm .git; mv .was .git)"`,
      "cd worktrees/fix",
      `echo "begun $(${UWF} --json task start 2>&1)"`,
      `echo "ran $(${UWF} task run -- sh -c 'echo mended > a.txt; git add a.txt; git commit -qm mended; git log -1 --format=%s' 2>&1)"`,
      `echo "beat $(${UWF} --json task heartbeat --progress 0.5 2>&1)"`,
      `echo "review $(${UWF} --json task approve 2>&1)"`,
      `echo "made $(${UWF} --json task spawn third 2>&1)"`,
      `echo "merged $(${UWF} --json task merge fix 2>&1)"`,
      `echo "done $(${UWF} --json task done 2>&1)"`,
      `echo "bus $(${UWF} task bus 2>&1 | grep -c review_request)"`,
    ].join("\n"),
    { at: repository },
  );
  const said = step?.meta.seen ?? "";
  const line = lineOf(said);
  expect(line("foreign"), said).toContain('"code":"TASK_DENIED"');
  expect(line("another")).toContain('"code":"ACCESS_DENIED"');
  expect(line("posing")).toContain('"code":"ACCESS_DENIED"');
  expect(line("begun")).toContain('"state":"WORKING"');
  expect(line("ran")).toBe("ran mended");
  expect(line("beat")).toContain('"progress":0.5');
  expect(line("review")).toContain('"code":"TASK_DENIED"');
  expect(line("made")).toContain('"code":"ACCESS_DENIED"');
  expect(line("merged")).toContain('"code":"ACCESS_DENIED"');
  expect(line("done")).toContain('"state":"IN_REVIEW"');
  expect(line("bus")).toBe("bus 1");

  const early = await seen(`${UWF} --json task approve fix 2>&1`, { at: repository });
  expect(early?.meta.seen).toContain('"code":"TASK_DENIED"');
  isolate("sandbox, reviewers: [look/looker]");
  const review = await seen(`${UWF} --json task approve fix 2>&1`, { at: repository });
  expect(review?.meta.seen).toContain('"state":"APPROVED"');
  expect(JSON.parse(task(repository, "status", "--json"))).toMatchObject({
    tasks: [
      { id: "fix", state: "APPROVED" },
      { id: "more", state: "ASSIGNED" },
    ],
  });
});

/** Of a script: `told <word> <command …>` says how a command ended, and what it wrote, on one line. */
const TOLD = `told() { word=$1; shift; out=$(${UWF} "$@" 2>errors); code=$?; printf "%s %s\\n" $word "$code $(printf "%s" "$out$(cat errors)" | tr "\\n" " ")"; }`;

it("inside, an agent starts threads and sees how they end", async () => {
  isolate("sandbox");
  const step = await seen(
    [
      TOLD,
      `told waited --json run steps --prompt '{"steps":1}' --title mine --wait`,
      `echo '{"steps":1,"failAt":1}' > prompt.json`,
      "told failed --json run steps --prompt-file prompt.json --wait",
      `id=$(printf '{"steps":1}' | ${UWF} run steps --id-key k)`,
      `[ "$(${UWF} run steps --prompt '{"steps":1}' --id-key k)" = "$id" ] && echo again the same`,
      "told later --json wait $id",
      "told shown --json thread show $id",
      `echo 'echo deeper | ${UWF} cas put - && ${UWF} run steps --prompt "{}" --wait >/dev/null && echo all the way' > deeper`,
      "told nested run look --prompt-file deeper --live",
    ].join("\n"),
  );
  const said = step?.meta.seen ?? "";
  const line = lineOf(said);
  expect(line("waited"), said).toMatch(/^\w+ 0 .*"status":"completed"/);
  expect(line("failed")).toMatch(/^failed 1 .*"status":"failed"/);
  expect(line("again")).toBe("again the same");
  expect(line("later")).toMatch(/^\w+ 0 .*"status":"completed"/);
  expect(line("shown")).toMatch(/^shown 0 .*"role":"worker"/);
  expect(line("nested")).toMatch(/^nested 0 .*all the way.*completed/);
  const { threads } = await cli.json<{ threads: { threadId: string; title: string | null }[] }>([
    "thread",
    "list",
  ]);
  const mine = threads.find(({ title }) => title === "mine")?.threadId ?? "";
  expect(await cli.json(["thread", "show", mine])).toMatchObject({
    ...{ status: "completed", cwd: cli.dir },
    start: { depth: 1 },
  });
});

it("inside, no other thread is there, nor what is not fit to be carried out for a step", async () => {
  const other = await cli.json<{ threadId: string }>(["run", "look", "--wait", "--prompt", "true"]);
  isolate("sandbox");
  const step = await seen(
    [
      TOLD,
      `told other --json thread show ${other.threadId}`,
      `told killed --json thread kill ${other.threadId}`,
      "told apart --json run steps --worktree",
      `told keys --json run steps --cwd ${cli.root}/keys --prompt '{"steps":1}'`,
      `UNCAGED_STEP_STORE="$(echo "$UNCAGED_STEP_STORE" | sed 's/"pass":"./"pass":"-/')" told posing --json run steps`,
    ].join("\n"),
  );
  const said = step?.meta.seen ?? "";
  const line = lineOf(said);
  expect(line("other"), said).toContain('"code":"THREAD_NOT_FOUND"');
  expect(line("killed")).toContain('"code":"ACCESS_DENIED"');
  expect(line("apart")).toMatch(/"code":"ACCESS_DENIED".*--worktree/);
  expect(line("keys")).toMatch(/"code":"ACCESS_DENIED".*no thread works there/);
  expect(line("posing")).toMatch(/"code":"ACCESS_DENIED".*another step/);
});
