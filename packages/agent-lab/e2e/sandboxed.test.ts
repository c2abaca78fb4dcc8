/** Real agents in a sandbox (`config.isolation`): they work, resume their sessions and reach what their step needs of the
 *  store, and neither its files nor the engine. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acpCopilot } from "../src/agents/acp.ts";
import type { AgentBinding, AgentUnderTest } from "../src/agents/agent-under-test.ts";
import { claudeCode } from "../src/agents/claude-code.ts";
import { codex } from "../src/agents/codex.ts";
import {
  installPrograms,
  makeRepository,
  openStage,
  type Place,
  type Stage,
  type StepScripts,
  TWO_STEPS_WORKFLOW,
} from "../src/index.ts";

const LIMIT_MS = 6 * 60_000;
const PLANTED = "only-the-engine-knows";
const KEY = "a key that signs";

/** Says what it found, one finding a line. */
const PROBE = `root=$1
echo "key: $(cat "$root/keys/attest.key" 2>/dev/null || echo none)"
echo "settings: $(cat "$root/workflow.yaml" 2>/dev/null || echo none)"
for file in workflow.yaml planted keys/attest.key; do
  (echo planted > "$root/$file") 2>/dev/null && echo "wrote: $file"
done
echo "threads: $(ls -a "$root" | grep -c -e index.db -e cas)"
echo "engine: $(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'runner-mai[n]')"
echo "environ: $(cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c '^ENGINE_ONLY=')"
`;

const NEW_TEST = `import { test } from "node:test";

test("is run", () => {});
`;

type Commands = { put: string; get: (hash: string) => string; context: string; board: string };

/** By commands; and by tools, for an agent whose own sandbox forbids sockets. */
const COMMANDS: Commands = {
  put: "[[shell:echo 'a phase' | uncaged-workflow cas put -]]",
  get: (hash) => `[[shell:uncaged-workflow cas get --payload ${hash}]]`,
  context: "[[shell:uncaged-workflow thread context $UNCAGED_THREAD_ID]]",
  board: "[[shell:uncaged-workflow task board]]",
};
const TOOLS: Commands = {
  put: '[[tool:cas_put {"text":"a phase\\n"}]]',
  get: (hash) => `[[tool:cas_get {"hash":"${hash}"}]]`,
  context: "[[tool:thread_context {}]]",
  board: '[[tool:uncaged_workflow {"args":["task","board"]}]]',
};
/** The hash of "a phase" and a line break. */
const PHASE = "4GYAF1C8YAM7B";

describeSandboxed("claude-code", { ...programOf(claudeCode), by: COMMANDS });
describeSandboxed("codex", { ...programOf(codex), by: TOOLS });
describeSandboxed("acp-copilot", { ...programOf(acpCopilot), by: COMMANDS });
describeSandboxed("react", {
  binding: async () => (url) => ({
    package: "@uncaged/workflow-agent-react",
    options: { model: "lab/lab-model" },
    providers: { lab: { baseUrl: `${url}/v1` } },
  }),
  by: COMMANDS,
});

type Row = { binding: () => Promise<(url: string) => AgentBinding>; by: Commands };

function programOf(agent: AgentUnderTest): Pick<Row, "binding"> {
  return {
    binding: async () => {
      const [program] = await installPrograms([agent.program]);
      if (program === undefined) throw new Error(`${agent.program} is not installed`);
      return (url) => agent.binding(program, url);
    },
  };
}

function describeSandboxed(name: string, { binding, by }: Row): void {
  describe(name, () => {
    let stage: Stage;
    let thread: ThreadView;
    beforeAll(async () => {
      stage = await openStage({
        binding: await binding(),
        scripts: (place) => scriptsOf(place, by),
        workflow: TWO_STEPS_WORKFLOW,
        config: { isolation: "sandbox" },
        env: { ENGINE_ONLY: PLANTED },
      });
      await makeRepository(stage.work);
      await stage.json(["task", "spawn", "mend-add", "--description", "Mend add."]);
      await writeFile(join(stage.work, "probe.sh"), PROBE);
      await mkdir(join(stage.root, "keys"));
      await writeFile(join(stage.root, "keys", "attest.key"), KEY);
      const { code, stdout, stderr } = await stage.run([
        ...["--json", "thread", "run", "flow", "--prompt", "Look around.", "--wait"],
      ]);
      expect(code, `${stdout}\n${stderr}`).toBe(0);
      const { threadId }: { threadId: string } = JSON.parse(stdout);
      thread = await stage.json(["thread", "show", threadId]);
    }, LIMIT_MS);
    afterAll(() => stage?.close());

    test("sandbox-works: it answers, edits the work tree, runs `npm test` and resumes its session", () => {
      expect(thread.steps.map(({ meta }) => meta.status)).toEqual(["more", "done"]);
      expect(readFileSync(join(stage.work, "test", "new.test.js"), "utf8")).toBe(NEW_TEST);
      expect(readFileSync(join(stage.work, "tested.txt"), "utf8")).toMatch(/pass 1\b.*exit 0\n$/s);
      const [first, second] = thread.steps.map(({ run }) => run);
      expect(first?.session).toEqual(expect.any(String));
      expect(second?.session).toBe(first?.session);
      expect([first?.isolation, second?.isolation].join(" ")).toMatch(/^(bubblewrap|unshare) \1$/);
      expect(sent()).toContain("Look around.");
    });

    test("sandbox-holds: it neither reads nor writes the storage root, nor sees the engine", () => {
      expect(readFileSync(join(stage.work, "probe.txt"), "utf8").trim().split("\n")).toEqual([
        ...["key: none", "settings: none", "threads: 0", "engine: 0", "environ: 0"],
      ]);
      expect(existsSync(join(stage.root, "planted"))).toBe(false);
      expect(readFileSync(join(stage.root, "keys", "attest.key"), "utf8")).toBe(KEY);
      expect(readFileSync(join(stage.root, "workflow.yaml"), "utf8")).toContain("isolation");
    });

    test("sandbox-store: it stores a text, loads it, and reads its own conversation", async () => {
      expect(await stage.json(["cas", "get", "--payload", PHASE])).toMatchObject({
        content: "a phase\n",
      });
      expect(sent()).toContain(PHASE);
      expect(sent()).toContain("status: more");
    });

    test("sandbox-tasks: its commands about tasks are served", () => {
      expect(sent()).toContain("mend-add");
      expect(sent()).not.toContain("ACCESS_DENIED");
    });

    /** Everything that the model was told in the last step. */
    const sent = (): string => JSON.stringify(stage.model.calls().at(-1)?.messages ?? []);
  });
}

function scriptsOf({ root, work }: Place, by: Commands): StepScripts {
  return {
    "1 worker": [
      `[[shell:sh probe.sh ${root} > probe.txt]]`,
      by.put,
      `[[edit:${work}/test/new.test.js\n${NEW_TEST}]]`,
      '[[json:{"status":"more"}]]',
    ].join(" "),
    "2 worker": [
      '[[shell:npm test -- test/new.test.js > tested.txt 2>&1; echo "exit $?" >> tested.txt]]',
      by.get(PHASE),
      by.context,
      by.board,
      '[[json:{"status":"done"}]]',
    ].join(" "),
  };
}
