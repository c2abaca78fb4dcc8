/** A whole `develop` thread on a real repository, run by a real program against the scripted model. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openMemoryStore } from "@uncaged/workflow-cas";
import type { ThreadView, ToolCallRecord } from "@uncaged/workflow-protocol";
import { findTagged } from "@uncaged/workflow-util";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AgentUnderTest,
  DEVELOP_WORKFLOW,
  installPrograms,
  makeRepository,
  openStage,
  type Place,
  type Stage,
  type StepScripts,
} from "../src/index.ts";

const INSTALL_LIMIT_MS = 6 * 60_000;
const THREAD_LIMIT_MS = 5 * 60_000;

const PHASE = `One hyphen between words, none at the ends (src/slugify.js). Proof: npm test.\n`;
const TASK = "slugify() leaves double and trailing hyphens: make `npm test` pass.";
const MEND = `sed -i -e 's/9\\]/9]+/' -e 's/"-")/"-").replace(\\/^-|-$\\/g, "")/' src/slugify.js`;
const NEW_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { slugify } from "../src/slugify.js";

test("puts no hyphen at the ends", () => assert.equal(slugify("(Hello)"), "hello"));
`;

/** What depends on the agent is its binding, in places what it can report, and how it stores a text in the sandbox that it
 *  is in: an agent whose own sandbox forbids sockets has a tool. */
export function describeDevelop(
  agent: AgentUnderTest,
  { stores }: { stores: "by command" | "by tool" },
): void {
  describe(agent.name, () => {
    let stage: Stage;
    let thread: ThreadView;
    beforeAll(async () => {
      const [program] = await installPrograms([agent.program]);
      if (program === undefined) throw new Error(`${agent.program} is not installed`);
      const hash = await openMemoryStore().put(PHASE);
      const scripts = (place: Place) => scriptsOf(place, { hash, stores });
      stage = await openStage({
        binding: (url) => agent.binding(program, url),
        ...{ scripts, workflow: DEVELOP_WORKFLOW, config: { isolation: "sandbox" } },
      });
      await makeRepository(stage.work);
      const { code, stdout, stderr } = await stage.run([
        ...["--json", "thread", "run", "flow", "--prompt", TASK, "--wait"],
      ]);
      expect(code, `${stdout}\n${stderr}`).toBe(0);
      const { threadId }: { threadId: string } = JSON.parse(stdout);
      thread = await stage.json(["thread", "show", threadId]);
    }, INSTALL_LIMIT_MS + THREAD_LIMIT_MS);
    afterAll(() => stage?.close());

    const step = (round: number) => {
      const found = thread.steps[round - 1];
      if (found === undefined) throw new Error(`there is no step ${round}`);
      return found;
    };
    const evidenceOf = (round: number): Promise<ToolCallRecord[]> =>
      Promise.all(
        (step(round).run?.evidence ?? []).map(async (hash): Promise<ToolCallRecord> => {
          const { stdout } = await stage.run(["cas", "get", "--payload", hash]);
          return JSON.parse(stdout);
        }),
      );

    test("develop: the thread goes from a task to a commit that contains what was asked for", async () => {
      expect(thread.steps.map(({ role }) => role).join(" ")).toBe(
        "planner coder reviewer coder reviewer tester committer",
      );
      expect(thread.steps.map(({ route }) => route?.condition)).toEqual([
        ...["FALLBACK", "FALLBACK", "allPhasesComplete", "FALLBACK"],
        ...["allPhasesComplete", "approved", "passed"],
      ]);
      const { stdout } = await execa("git", ["show", "--stat", "--format=%s"], { cwd: stage.work });
      expect(stdout).toContain("fix: one hyphen between words");
      for (const file of ["src/slugify.js", "test/ends.test.js", "README.md"]) {
        expect(stdout).toContain(file);
      }
      await execa("npm", ["test"], { cwd: stage.work });
    });

    test("develop-reviewer: the reviewer's attempt to edit is denied", async () => {
      expect(existsSync(join(stage.work, "reviewed.txt"))).toBe(false);
      const edits = (await evidenceOf(3)).filter(({ kind }) => kind === "edit");
      expect(edits.filter(({ ok }) => ok)).toEqual([]);
      expect(step(3).meta.status).toBe("rejected");
    });

    test("develop-claim: a coder that claims what it did not run is sent back, then believed", async () => {
      const { run } = step(2);
      expect(run?.notes?.join("\n")).toMatch(/evidence.*\^npm test\$.*before the last edit/s);
      const calls = await evidenceOf(2);
      const seen = calls.map(({ kind, subject, exitCode }) =>
        kind === "execute"
          ? `${/^npm test$/.test(subject) ? "npm test" : "shell"} ${exitCode}`
          : kind,
      );
      expect(seen.filter((each) => each !== "read")).toEqual([
        ...["shell 0", "npm test 0", "edit", "npm test 0"],
      ]);
    });

    test("develop-sessions: each role has its own session, and resumes it", () => {
      const [planner, coder, reviewer, again, twice] = thread.steps.map(({ run }) => run?.session);
      expect(new Set([planner, coder, reviewer]).size).toBe(3);
      expect([again, twice]).toEqual([coder, reviewer]);
      const tokens = thread.steps.slice(0, 5).map(({ run }) => run?.usage?.inputTokens ?? 0);
      expect(
        tokens.filter((each) => each > 0),
        tokens.join(" "),
      ).toHaveLength(5);
      for (const { run } of thread.steps.slice(0, 5)) {
        expect(run?.session).toEqual(expect.any(String));
        expect(run?.agent?.version).toMatch(/^\d+\.\d+/);
      }
    });

    test("develop-verify: the thread is proven, and none of its processes is left", async () => {
      expect(await stage.json(["thread", "verify", thread.threadId])).toMatchObject({ ok: true });
      expect(findTagged(thread.threadId)).toEqual([]);
      expect(readFileSync(join(stage.work, "README.md"), "utf8")).toContain("hello-world");
    });
  });
}

function scriptsOf(
  { work }: Place,
  { hash, stores }: { hash: string; stores: "by command" | "by tool" },
): StepScripts {
  const json = (meta: object) => `[[json:${JSON.stringify(meta)}]]`;
  const changed = ["src/slugify.js", "test/ends.test.js"];
  const done = (summary: string, changedFiles: string[]) =>
    json({ completedPhase: hash, summary, changedFiles });
  const claim = done("All tests pass.", changed);
  const finding = { place: "README.md", problem: "it shows no slug" };
  const put =
    stores === "by tool"
      ? `[[tool:cas_put ${JSON.stringify({ text: PHASE })}]]`
      : `[[shell:uncaged-workflow cas put - <<'PHASE'\n${PHASE}PHASE]]`;
  const phases = [{ hash, title: "One hyphen" }];
  const document = `printf '\\n"Hello, World!" becomes hello-world.\\n' >> README.md`;
  return {
    "1 planner": `${put} ${json({ status: "planned", phases, reason: null })}`,
    "2 coder": `[[shell:${MEND}]] [[shell:npm test]] [[edit:${work}/test/ends.test.js\n${NEW_TEST}]] ${claim} [[shell:npm test]] ${claim}`,
    "3 reviewer": `[[edit:${work}/reviewed.txt]] ${json({ status: "rejected", findings: [finding] })}`,
    "4 coder": `[[shell:${document}]] [[shell:npm test]] ${done("Documented.", ["README.md"])}`,
    "5 reviewer": `[[shell:git diff HEAD]] ${json({ status: "approved", findings: [] })}`,
  };
}
