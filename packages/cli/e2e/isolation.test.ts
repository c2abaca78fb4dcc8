/** `config.isolation: sandbox`: what an agent's program then sees, and cannot reach. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";

const FLOW = `
import { createCommandAgent } from "@uncaged/workflow-agent-command";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, START, END } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "looks around",
  roles: { looker: defineRole({ description: "", systemPrompt: "", schema: z.object({ seen: z.string() }), extractRefs: null }) },
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
  const file = join(cli.dir, "flow", "look.js");
  writeFileSync(file, FLOW);
  const built = await cli.json<{ file: string }>(["workflow", "build", file]);
  await cli.json(["workflow", "add", "look", built.file]);
  mkdirSync(join(cli.root, "keys"), { recursive: true });
  writeFileSync(join(cli.root, "keys", "attest.key"), "secret");
});
afterAll(() => cli.close());

type Shown = {
  status: string;
  steps: { meta: { seen: string }; run: { isolation?: string; notes?: string[] } }[];
};

type Seen = Shown["steps"][number] & { threadId: string };

async function seen(script: string): Promise<Seen | undefined> {
  const args = ["--json", "run", "look", "--wait", "--prompt", script];
  const { stdout } = await cli.run(args);
  const { threadId }: { threadId: string } = JSON.parse(stdout);
  const [step] = (await cli.json<Shown>(["thread", "show", threadId])).steps;
  return step && { ...step, threadId };
}

it("without it, an agent sees the keys and the engine", async () => {
  const step = await seen(`cat ${cli.root}/keys/attest.key; tr "\\0" " " < /proc/$PPID/cmdline`);
  expect(step?.meta.seen).toContain("secret");
  expect(step?.meta.seen).toContain("node");
  expect(step?.run.isolation).toBeUndefined();
  const { stdout } = await cli.run(["thread", "show", step?.threadId ?? ""]);
  expect(stdout).toMatch(/^ {2}command /m);
  expect(stdout).not.toContain("sandbox");
});

it("with it, neither, and its folder is writable", async () => {
  appendFileSync(join(cli.root, "workflow.yaml"), "config: { isolation: sandbox }\n");
  const step = await seen(
    [
      `find ${cli.root} -type f`,
      `umount ${cli.root} 2>/dev/null; unshare -rm umount ${cli.root} 2>/dev/null; cat ${cli.root}/keys/attest.key 2>&1`,
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

it("inside, commands reach the step's own conversation and texts, and nothing else of the store", async () => {
  const other = await cli.json<{ threadId: string }>(["run", "look", "--wait", "--prompt", "true"]);
  const uwf = `${process.execPath} ${BIN}`;
  const step = await seen(
    [
      `echo 'phase one' | ${uwf} cas put - > hash.txt`,
      `echo "put $(${uwf} cas get --payload $(cat hash.txt))"`,
      `${uwf} thread context $UNCAGED_THREAD_ID | grep -c 'the words of the task'`,
      "# the words of the task",
      `echo "other $(${uwf} --json thread context ${other.threadId} 2>&1)"`,
      `echo "list $(${uwf} --json thread list 2>&1)"`,
      `echo "blobs $(${uwf} --json cas list 2>&1)"`,
      `echo "posing $(UNCAGED_STEP_STORE="$(echo "$UNCAGED_STEP_STORE" | sed 's/"pass":"./"pass":"-/')" ${uwf} --json cas get $(cat hash.txt) 2>&1)"`,
      `echo "long $(head -c 17000000 /dev/zero | tr "\\0" x | ${uwf} --json cas put - 2>&1)"`,
      `echo "elsewhere $(WORKFLOW_STORAGE_ROOT=${cli.dir}/another ${uwf} --json thread list 2>&1)"`,
    ].join("\n"),
  );
  const said = step?.meta.seen ?? "";
  const line = (word: string) => said.split("\n").find((each) => each.startsWith(`${word} `)) ?? "";
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
