import { type AgentEvent, failure, WorkflowError } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import {
  cwd,
  failed,
  GOOD,
  inEmptyFolders,
  NEEDS_TESTS,
  play,
  usage,
} from "../testing/agent-scene.test.helper.ts";
import { fakeDriver, pastStep, seenCall } from "../testing/fake-driver.test.helper.ts";
import { fakeContext, fakeRuntime } from "../testing/fake-runtime.ts";

inEmptyFolders();

describe("an answer", () => {
  it.each([
    ["handed in by the agent's own structured output", { structured: { status: "done" } }],
    ["at the end of its text", { text: GOOD }],
    ["in the front matter of its text", { text: "---\nstatus: done\n---\nAll well." }],
    ["in its text, when what it handed in does not fit", { text: GOOD, structured: { status: 1 } }],
  ])("is taken %s", async (_name, turn) => {
    expect((await play(fakeDriver([turn]))).meta).toEqual({ status: "done" });
  });

  it("leaves the content to the meta when nothing was said", async () => {
    expect((await play(fakeDriver([{ structured: { status: "done" } }]))).content).toBeUndefined();
  });

  it("that does not match is requested again, with what is wrong, in the same conversation", async () => {
    const driver = fakeDriver([
      { text: '{"status":"perhaps"}', usage: usage(1, 0.5), rawUsage: 1 },
      { text: GOOD, usage: usage(2, 0.25), rawUsage: 2 },
    ]);
    const { meta, run } = await play(driver);
    expect(meta).toEqual({ status: "done" });
    expect(driver.opened).toHaveLength(1);
    expect(driver.prompts[1]).toContain("does not fit the form that was asked for: status:");
    expect(run).toMatchObject({
      usage: usage(3, 0.75),
      rawUsage: 2,
      notes: [expect.stringContaining("requested again: status:")],
    });
  });

  it("is requested by the agent's own tool, also when it has to be corrected", async () => {
    const driver = fakeDriver([{ structured: { status: 1 } }, { structured: { status: "done" } }], {
      handInTool: "submit",
    });
    await play(driver);
    expect(driver.prompts[0]).toContain("hand in your result by calling `submit`");
    expect(driver.prompts[1]).toContain("Hand in your result again by calling `submit`");
  });

  it("is also extracted from what was submitted without any text", async () => {
    const runtime = fakeRuntime({ cwd });
    const extract: typeof runtime.extract = async (wanted, hash) =>
      wanted.parse({ status: runtime.texts.get(hash) === '{"status":"Done."}' ? "done" : "stuck" });
    const driver = fakeDriver([{ structured: { status: "Done." } }]);
    const scene = { runtime: { ...runtime, extract }, options: { repairs: 0 } };
    expect((await play(driver, scene)).meta).toEqual({ status: "done" });
  });

  it("is checked for a driver that asks before its turn ends", async () => {
    const told: (string | null)[] = [];
    const driver = fakeDriver([
      {
        text: GOOD,
        async during({ misfit, note }) {
          told.push(await misfit({ status: "Done." }), await misfit({ status: "done" }));
          note("it was asked");
        },
      },
    ]);
    expect((await play(driver)).run?.notes).toEqual(["it was asked"]);
    expect(told).toEqual([expect.stringContaining("status: Invalid option"), null]);
  });

  it("is extracted by a model when the agent cannot correct it", async () => {
    const asked: string[] = [];
    const runtime = fakeRuntime({
      cwd,
      extract: async (wanted, hash) => {
        asked.push(runtime.texts.get(hash) ?? "");
        return wanted.parse({ status: "stuck" });
      },
    });
    const { meta, run } = await play(fakeDriver([{ text: "hm" }, { text: "I am stuck." }]), {
      runtime,
    });
    expect(meta).toEqual({ status: "stuck" });
    expect(asked).toEqual(["I am stuck."]);
    expect(run?.notes?.at(-1)).toContain("extracted");
  });

  it("that could not be read because the store broke is not a failure of the agent", async () => {
    const broken = new WorkflowError(failure("STORAGE_FAILED", "the disk is gone", ""));
    const runtime = fakeRuntime({ cwd, extract: () => Promise.reject(broken) });
    const driver = fakeDriver([{ text: "hm" }, { text: "hm" }]);
    await expect(play(driver, { runtime })).rejects.toBe(broken);
  });

  it("that nobody can read fails the step, with its cost", async () => {
    const error = await failed(
      fakeDriver([
        { text: "hm", usage: usage(1) },
        { text: "hm", usage: usage(2) },
      ]),
    );
    expect(error).toMatchObject({ outcome: "invalid_output", run: { usage: usage(3) } });
    expect(error.failure).toMatchObject({
      code: "INVALID_OUTPUT",
      message: expect.stringMatching(/role coder \(step 1\).*no model is configured/),
    });
  });

  it("is not requested again when the binding says so", async () => {
    const driver = fakeDriver([{ text: "" }]);
    const error = await failed(driver, { options: { repairs: 0 } });
    expect(error.failure.message).toContain("it said nothing");
    expect(driver.prompts).toHaveLength(1);
  });
});

describe("a session", () => {
  describe("of the thread that this one was forked from", () => {
    const scene = async (isAsItWas: boolean) => {
      const originSession = { id: "session-0", isAsItWas: async () => isAsItWas };
      const runtime = fakeRuntime({ cwd, originSession });
      const said = await runtime.cas.put("Done.");
      const ctx = fakeContext("Mend it.", [pastStep("coder", said, { session: "session-0" })]);
      return { runtime, ctx };
    };
    const copying = () => {
      const driver = fakeDriver([{ text: GOOD, session: "session-1" }]);
      return Object.assign(driver, { can: { ...driver.can, copy: true } });
    };

    it("is never resumed: the role starts afresh at once, and its step says why", async () => {
      const driver = fakeDriver([{ text: GOOD }]);
      const { run } = await play(driver, await scene(true));
      expect(driver.opened).toMatchObject([{ session: null, copiesSession: false }]);
      expect(run?.notes).toEqual([expect.stringContaining("session-0 is another thread's")]);
    });

    it("is resumed in a copy, where the agent can make one and finds it", async () => {
      const driver = copying();
      const { run } = await play(driver, { ...(await scene(true)), options: { config: "user" } });
      expect(driver.opened).toMatchObject([{ session: "session-0", copiesSession: true }]);
      expect(run).toMatchObject({
        session: "session-1",
        notes: [expect.stringContaining("a copy of session session-0")],
      });
    });

    it("is not copied once that thread continued it, nor out of its private folder", async () => {
      for (const [isAsItWas, config] of [
        [false, "user"],
        [true, "private"],
      ] as const) {
        const driver = copying();
        await play(driver, { ...(await scene(isAsItWas)), options: { config } });
        expect(driver.opened).toMatchObject([{ session: null, copiesSession: false }]);
      }
    });
  });

  const resumed = async (script: Parameters<typeof fakeDriver>[0], agent = "fake") => {
    const runtime = fakeRuntime({ cwd, previousSession: "session-0" });
    const said = await runtime.cas.put("Please rename it.");
    const ctx = fakeContext("Mend it.", [
      pastStep("planner", await runtime.cas.put("The plan.")),
      pastStep("coder", await runtime.cas.put("Done so."), {
        agent: { name: agent, version: "1" },
        session: "session-0",
        rawUsage: { total: 5 },
      }),
      pastStep("reviewer", said),
    ]);
    const driver = fakeDriver(script);
    return { driver, runtime, result: await play(driver, { runtime, ctx }) };
  };

  it("is resumed, and told only what is new since the role's last step", async () => {
    const { driver, runtime, result } = await resumed([{ text: GOOD }]);
    expect(driver.opened[0]).toMatchObject({
      session: "session-0",
      previousRawUsage: { total: 5 },
    });
    expect(driver.prompts[0]).toContain("# Steps since your last one");
    expect(driver.prompts[0]).toContain("Please rename it.");
    expect(driver.prompts[0]).not.toContain("Mend it.");
    expect(driver.prompts[0]).not.toContain("The plan.");
    expect(driver.prompts[0]).not.toContain("You code.");
    expect(runtime.events[0]).toMatchObject({ type: "started", session: "session-0" });
    expect(result.run?.session).toBe("session-0");
  });

  it("that is lost is replaced by a fresh one, once, with everything it has to know", async () => {
    const { driver, result } = await resumed([
      { outcome: "crashed", reason: "no such session", sessionLost: true, session: "session-0" },
      { text: GOOD, session: "session-9" },
    ]);
    expect(driver.opened.map(({ session }) => session)).toEqual(["session-0", null]);
    expect(driver.opened[1]?.previousRawUsage).toBeNull();
    expect(driver.prompts[1]).toContain("You code.");
    expect(driver.prompts[1]).toContain("Mend it.");
    expect(driver.prompts[1]).toContain("The plan.");
    expect(result.run).toMatchObject({
      session: "session-9",
      notes: ["the earlier session could not be resumed: no such session"],
    });
    expect(driver.closed).toBeGreaterThanOrEqual(2);
  });

  it("of another agent is not resumed", async () => {
    const { driver } = await resumed([{ text: GOOD }], "other");
    expect(driver.opened[0]?.session).toBeNull();
    expect(driver.prompts[0]).toContain("Mend it.");
  });

  it("that is lost although none was to be resumed is a failure", async () => {
    const error = await failed(
      fakeDriver([{ outcome: "crashed", reason: "gone", sessionLost: true, session: "x" }]),
    );
    expect(error).toMatchObject({ outcome: "crashed", run: { session: null } });
  });
});

describe("required evidence", () => {
  it("is stored in the order in which it was seen, and makes the answer count", async () => {
    const runtime = fakeRuntime({ cwd, rules: NEEDS_TESTS });
    const driver = fakeDriver([
      {
        text: GOOD,
        during: ({ seen }) => {
          seen(seenCall({ id: "a", kind: "edit", name: "Edit", subject: "a.ts", exitCode: null }));
          seen(seenCall({ id: "b" }));
        },
      },
    ]);
    const { run } = await play(driver, { runtime });
    const stored = run?.evidence.map((hash) => JSON.parse(runtime.texts.get(hash) ?? "null"));
    expect(stored).toEqual([
      seenCall({ id: "a", kind: "edit", name: "Edit", subject: "a.ts", exitCode: null }),
      seenCall({ id: "b" }),
    ]);
    expect(run?.notes).toBeUndefined();
  });

  it("that is missing sends the agent back, and its next answer counts", async () => {
    const runtime = fakeRuntime({ cwd, rules: NEEDS_TESTS });
    const told: (string | null)[] = [];
    const driver = fakeDriver([
      { text: GOOD, during: ({ stillMissing }) => void told.push(stillMissing()) },
      {
        text: '{"status":"stuck"}',
        during: ({ seen, stillMissing }) => {
          seen(seenCall({}));
          told.push(stillMissing());
        },
      },
    ]);
    const { meta, run } = await play(driver, { runtime });
    expect(meta).toEqual({ status: "stuck" });
    expect(driver.prompts[1]).toMatch(/^You are not done yet\..*tests: a successful call/s);
    expect(run?.notes).toEqual([
      expect.stringMatching(/^sent back, evidence was missing: tests/),
      expect.stringMatching(/^not accepted, evidence was missing: tests/),
    ]);
    expect(told).toEqual([expect.stringContaining("not done yet"), null]);
  });

  it("that never comes fails the step after a limited number of turns, with the record of the run", async () => {
    const runtime = fakeRuntime({ cwd, rules: NEEDS_TESTS });
    const failing = {
      text: GOOD,
      usage: usage(1),
      during: ({ seen }: { seen: (call: ReturnType<typeof seenCall>) => void }) =>
        seen(seenCall({ exitCode: 1, ok: false })),
    };
    const driver = fakeDriver([failing, failing, failing]);
    const error = await failed(driver, { runtime });
    expect(driver.prompts).toHaveLength(3);
    expect(error.failure.code).toBe("EVIDENCE_MISSING");
    expect(error.failure.message).toContain("(it exited 1)");
    expect(error.run?.usage).toEqual(usage(3));
    expect(error.run?.evidence).toHaveLength(3);
    expect(runtime.events.at(-1)).toMatchObject({ type: "end", outcome: "invalid_output" });
  });
});

describe("a turn that fails", () => {
  it.each([
    ["denied", "AGENT_DENIED"],
    ["context_overflow", "AGENT_CONTEXT_OVERFLOW"],
    ["rate_limited", "AGENT_RATE_LIMITED"],
    ["auth", "AGENT_AUTH"],
    ["crashed", "AGENT_FAILED"],
    ["timeout", "AGENT_TIMEOUT"],
    ["invalid_output", "INVALID_OUTPUT"],
  ] as const)("with outcome %s fails the step with %s", async (outcome, code) => {
    const runtime = fakeRuntime({ cwd });
    const driver = fakeDriver([{ outcome, reason: "its own words", usage: usage(4), denials: 2 }]);
    const error = await failed(driver, { runtime });
    expect(error).toMatchObject({
      outcome,
      failure: { code, message: expect.stringContaining("its own words") },
      run: { usage: usage(4), notes: ["the tool policy refused 2 tool calls"] },
    });
    expect(error.failure.hint).not.toBe("");
    // The thread has ended, so it can be forked but not resumed.
    expect(error.failure.hint).not.toContain("thread resume");
    expect(runtime.events.at(-1)).toMatchObject({ type: "end", outcome });
    expect(driver.closed).toBe(1);
  });

  it("as cancelled, although nobody stopped the thread, is a failure", async () => {
    expect(await failed(fakeDriver([{ outcome: "cancelled" }]))).toMatchObject({
      outcome: "crashed",
      failure: { code: "AGENT_FAILED" },
    });
  });

  it("with no text after its calls were refused is denied, with the reasons", async () => {
    const refused = ({ emit }: { emit: (event: AgentEvent) => void }): void => {
      for (const reason of ["edits are denied", "edits are denied", "git push is denied"])
        emit({ type: "permission", tool: "Edit", allowed: false, reason });
      emit({ type: "permission", tool: "Read", allowed: true, reason: "reading is allowed" });
    };
    const silent = { text: " ", denials: 3, during: refused };
    const error = await failed(fakeDriver([silent, silent]));
    expect(error).toMatchObject({ outcome: "denied", failure: { code: "AGENT_DENIED" } });
    expect(error.failure.message).toMatch(/: edits are denied; git push is denied$/);
  });

  it("with no text, although no call was refused, returned no usable answer", async () => {
    expect(await failed(fakeDriver([{ text: "" }, { text: "" }]))).toMatchObject({
      outcome: "invalid_output",
      failure: { code: "INVALID_OUTPUT" },
    });
  });

  it("because its driver cannot open it keeps the driver's own reason", async () => {
    const driver = fakeDriver([], {
      open: () => Promise.reject(new Error("no pseudo terminal left")),
    });
    expect((await failed(driver)).failure).toMatchObject({
      code: "AGENT_FAILED",
      message: "no pseudo terminal left",
    });
  });

  it("because the store is broken is not a failure of the agent", async () => {
    const broken = new WorkflowError(failure("STORAGE_FAILED", "the disk is full", ""));
    const runtime = fakeRuntime({ cwd, put: () => Promise.reject(broken) });
    await expect(play(fakeDriver([{ text: GOOD }]), { runtime })).rejects.toBe(broken);
  });
});

describe("files that do not pass the engine's check", () => {
  const told = "npm test exited with 1";

  it("are sent back with what failed, and the answer counts once they pass", async () => {
    const driver = fakeDriver([{ text: GOOD }, { text: GOOD }]);
    const faults = [told, null];
    const runtime = { ...fakeRuntime({ cwd }), checkFiles: async () => faults.shift() ?? null };
    const { meta, run } = await play(driver, { runtime });
    expect(meta).toEqual({ status: "done" });
    expect(driver.prompts[1]).toContain(told);
    expect(run?.notes).toEqual(["not accepted, a check of the files failed"]);
  });

  it("fail the step when they still do not pass after that", async () => {
    const driver = fakeDriver([{ text: GOOD }, { text: GOOD }]);
    const runtime = { ...fakeRuntime({ cwd }), checkFiles: async () => told };
    const options = { evidenceTurns: 1 };
    await expect(play(driver, { runtime, options })).rejects.toMatchObject({
      failure: { code: "EVIDENCE_MISSING", message: expect.stringContaining(told) },
    });
  });
});
