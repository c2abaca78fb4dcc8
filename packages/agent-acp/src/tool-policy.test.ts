import { expect, test, vi } from "vitest";
import { acpDriver } from "./acp-driver.ts";
import { openStage, standIn } from "./fake-step.test.helper.ts";

vi.setConfig({ testTimeout: 30_000 });

test("with no policy permission is given, just this once", async () => {
  const { conversation, events, calls } = await openStage(standIn());
  const turn = await conversation.turn("edit");
  expect(turn).toMatchObject({ outcome: "ok", text: "allow_once", denials: 0 });
  expect(events).toContainEqual(expect.objectContaining({ type: "permission", allowed: true }));
  expect(calls).toMatchObject([{ name: "write", kind: "edit", ok: true }]);
});

test("a call that the policy denies is refused, just this once, and counted", async () => {
  const { conversation, events, calls } = await openStage(standIn(), {
    policy: { deny: [{ kind: "edit" }] },
  });
  const turn = await conversation.turn("edit");
  expect(turn).toMatchObject({ outcome: "ok", text: "reject_once", denials: 1 });
  expect(events).toContainEqual({
    type: "permission",
    tool: "write",
    allowed: false,
    reason: "write is denied to this role by the rule for kind edit",
  });
  expect(calls).toMatchObject([{ ok: false }]);
});

test.each([
  [true, "allow_once", 0],
  [false, "reject_once", 1],
])(
  "a call that is for a person to allow waits for the person, who says %s",
  async (allowed, text, denials) => {
    const asked: unknown[] = [];
    const { conversation, events } = await openStage(standIn(), {
      policy: { ask: [{ kind: "edit" }] },
      mayI: async (call) => {
        asked.push(call);
        return { allowed, reason: "by alice" };
      },
    });
    expect(await conversation.turn("edit")).toMatchObject({ outcome: "ok", text, denials });
    expect(asked).toEqual([{ name: "write", subject: expect.stringMatching(/^\//) }]);
    expect(events).toContainEqual({
      ...{ type: "permission", tool: "write", allowed, reason: "by alice" },
    });
  },
);

test.each(["edit-many", "edit-blind"])(
  "a person is asked about %s when any part may need it",
  async (word) => {
    const { conversation } = await openStage(standIn(), {
      policy: { ask: [{ kind: "edit", input: "^/etc/" }] },
      mayI: async () => ({ allowed: true, reason: "by alice" }),
    });
    expect((await conversation.turn(word)).text).toBe("allow_once");
  },
);

test.each([
  ["a call on several files is refused when one of them is denied", "edit-many", "^/etc/"],
  ["a call that does not say its file is refused when a file is denied", "edit-blind", "^/etc/"],
])("%s", async (_name, word, input) => {
  const policy = { deny: [{ kind: "edit" as const, input }] };
  const { conversation } = await openStage(standIn(), { policy });
  expect((await conversation.turn(word)).text).toBe("reject_once");
});

test("a call on several files is allowed when the rule matches each of them", async () => {
  const policy = { allow: [{ kind: "edit" as const, input: "^/" }] };
  const { conversation } = await openStage(standIn(), { policy });
  expect((await conversation.turn("edit-many")).text).toBe("allow_once");
});

test("a denied call that was made without asking cancels the turn", async () => {
  const { conversation, running } = await openStage(standIn(), {
    policy: { allow: [{ kind: "read" }] },
  });
  const turn = await conversation.turn("edit-unasked");
  expect(turn).toMatchObject({
    outcome: "denied",
    reason: "it did not ask, and write is not among what this role may use",
  });
  expect(running()).toBe(0);
});

test("a policy is promised only where the agent asks", () => {
  const can = (config: Parameters<typeof acpDriver>[0]): boolean => acpDriver(config).can.policy;
  expect(can({ preset: "gemini" })).toBe(true);
  expect(can({ preset: "gemini", mode: "yolo" })).toBe(false);
  expect(can({ preset: "codex" })).toBe(false);
  expect(can({ command: "my-agent" })).toBe(false);
  expect(can({ command: "my-agent", asksPermission: true })).toBe(true);
});

test("a rule about what the agent does not ask for is refused with its kind", () => {
  const gemini = acpDriver({ preset: "gemini" });
  const late = "it does not ask before calls of kind read, so a rule about them comes too late";
  expect(gemini.refuses?.({ deny: [{ kind: "read", input: "secret" }] })).toBe(late);
  expect(gemini.refuses?.({ allow: [{ kind: "read", input: "^src/" }] })).toBe(late);
  expect(gemini.refuses?.({ allow: [{ kind: "read" }], deny: [{ kind: "edit" }] })).toBe(null);
  expect(acpDriver({ preset: "opencode" }).refuses?.({ deny: [{ kind: "read" }] })).toBe(null);
  expect(gemini.refuses?.({ network: false })).toContain("before calls of kind search");
  expect(acpDriver({ preset: "opencode" }).refuses?.({ network: false })).toBe(null);
});
