import { readFileSync } from "node:fs";
import type { Failure, Result } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commentsIn } from "./document.ts";
import * as operations from "./index.ts";
import { applied, type Edit, graphOf, type Outline, type Path } from "./index.ts";

const RUNS = { numRuns: Number(process.env.UNCAGED_TEST_TEXTS ?? 12) };

const read = (url: string): string => readFileSync(new URL(url, import.meta.url), "utf8");
const BY_HAND = read("./golden/by-hand.yaml");
const SCAFFOLD = read("../../cli/scaffold/yaml/flow.yaml");
const GREETING = read("../../register/src/yaml/golden/greeting.yaml");
/** Line ends of another system, none at the end, and a byte order mark. */
const FILES: [string, string][] = [
  ["by hand", BY_HAND],
  ["the scaffold's", SCAFFOLD],
  ["the golden", GREETING],
  ["with CRLF", BY_HAND.replaceAll("\n", "\r\n")],
  ["without a line end", SCAFFOLD.trimEnd()],
];

function done(text: string, edit: Result<Edit, Failure>): string {
  if (!edit.ok) throw new Error(edit.error.message);
  return applied(text, edit.value);
}

function outline(text: string): Outline {
  const found = graphOf(text);
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

/** The lines that are in the one text only. */
function changedLines(before: string, after: string): string[] {
  const left = after.split("\n");
  const gone = before.split("\n").filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [...gone.map((line) => `- ${line}`), ...left.map((line) => `+ ${line}`)];
}

const roleOf = (text: string, name: string) =>
  outline(text).roles.find((each) => each.name === name);
const edgeOf = (text: string, path: Path) =>
  outline(text).edges.find((each) => each.path.join() === path.join());

describe("the graph of a text", () => {
  it("has roles with who plays them, answers and fields, and every edge", () => {
    const { roles, edges, defaultAgent, onlyText } = outline(BY_HAND);
    expect(defaultAgent).toBe("claude");
    expect(roles.map(({ name, player, answers }) => [name, player, answers])).toEqual([
      ["planner", { kind: "agent", agent: "codex" }, ["planned", "unclear"]],
      ["coder", { kind: "agent", agent: null }, ["done", "stuck"]],
      ["second-look", { kind: "person" }, ["yes-please", "no-thanks"]],
    ]);
    expect(roles[0]?.fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ["phases", "list of texts", true],
      ["odd one", "text", false],
    ]);
    expect(edges.map(({ from, answers, when, to }) => [from, answers ?? when, to])).toEqual([
      ["$START", null, "planner"],
      ["planner", ["planned"], "coder"],
      ["planner", ["unclear"], "$SUSPEND"],
      ["coder", ["stuck"], "planner"],
      ["coder", "byRole.coder.count >= 3 and byRole.`second-look`.count > 0", "$END"],
      ["coder", null, "coder"],
      ["coder", null, "second-look"],
      ["second-look", ["yes-please"], "$END"],
      ["second-look", ["no-thanks"], "coder"],
    ]);
    expect(onlyText.map(({ what }) => what)).toEqual([
      "limits of the whole thread",
      "what the workflow returns",
      "coder: the tools that it may use",
      "coder: rules with conditions, tried in order",
    ]);
    for (const { name, span } of roles)
      expect(BY_HAND.slice(span.start)).toMatch(new RegExp(`^${name}:`));
  });

  it("is not there while the text cannot be read, which is said with its line", () => {
    const found = graphOf("roles:\n  a: [1\n");
    expect(found.ok ? null : found.error.message).toMatch(/^line 3 cannot be read: /);
    for (const text of ["a: &x 1\nb: *x", "a: 1\na: 2", "1: 2"]) {
      expect(graphOf(text).ok).toBe(false);
    }
    expect(graphOf("").ok).toBe(true);
    expect(outline("roles: 7\ngraph: { a: [3] }").roles).toEqual([]);
  });
});

describe("an operation on the graph", () => {
  it("renames a role with all its mentions, and nothing else", () => {
    const after = done(
      BY_HAND,
      operations.renameRole(BY_HAND, { role: "coder", to: "second-hand" }),
    );
    expect(changedLines(BY_HAND, after).filter((line) => line.startsWith("+"))).toEqual([
      "+   second-hand:",
      "+       role: second-hand",
      "+   second-hand:",
      "+     - { when: byRole.`second-hand`.count >= 3 and byRole.`second-look`.count > 0, name: enough, role: $END }",
      "+     - { outcomes: [timeout], role: second-hand }",
      "+         Done: {{ byRole.`second-hand`.last.meta.what }}",
      '+   second-look: { yes-please: $END, no-thanks: { role: second-hand, prompt: "{{ last.meta.why }}" } }',
      "+ result: byRole.`second-hand`.last.meta.what",
    ]);
    const back = done(after, operations.renameRole(after, { role: "second-hand", to: "coder" }));
    expect(back).toBe(BY_HAND);
    const look = done(BY_HAND, operations.renameRole(BY_HAND, { role: "second-look", to: "look" }));
    expect(look).toContain("byRole.look.count > 0");
    const refusal = operations.renameRole(BY_HAND, { role: "coder", to: "planner" });
    expect(refusal.ok ? null : refusal.error.message).toBe("there is already a planner");
  });

  it("puts a person's approval into an edge; the next role is still told what it was told", () => {
    const edge = ["graph", "planner", "planned"];
    const question = "Is this the right plan? {{ last.meta.phases }}";
    const after = done(
      BY_HAND,
      operations.addApproval(BY_HAND, { edge, role: "approval", question }),
    );
    expect(edgeOf(after, edge)).toMatchObject({ to: "approval", prompt: question });
    expect(edgeOf(after, ["graph", "approval", "approved"])).toMatchObject({
      to: "coder",
      prompt: "Phases: {{ byRole.planner.last.meta.phases }} ({{ byRole.planner.count }})",
    });
    expect(edgeOf(after, ["graph", "approval", "changes"])?.to).toBe("planner");
    expect(roleOf(after, "approval")?.player).toEqual({ kind: "person" });
    expect(commentsIn(after)).toEqual(commentsIn(BY_HAND));
  });

  it("adds an answer with its edge, in each shape of an entry", () => {
    const added = { answer: "later: no", to: "planner", prompt: "Why?" };
    const rules = done(BY_HAND, operations.addAnswer(BY_HAND, { role: "coder", ...added }));
    expect(changedLines(BY_HAND, rules)).toEqual([
      "-         status: { enum: [done, stuck] }   # two ways on",
      '+         status: { enum: [done, stuck, "later: no"] }   # two ways on',
      '+     - { status: "later: no", role: planner, prompt: Why? }',
    ]);
    const inline = done(BY_HAND, operations.addAnswer(BY_HAND, { role: "second-look", ...added }));
    expect(edgeOf(inline, ["graph", "second-look", "later: no"])?.to).toBe("planner");
    const always =
      "roles:\n  a:\n    output:\n      type: object\n      properties:\n        status: { enum: [x] }\n      required: [status]\ngraph:\n  $START: { new: a }\n  a: $END # why\n";
    const two = done(always, operations.addAnswer(always, { role: "a", answer: "y", to: "a" }));
    expect(two).toContain("  a: { x: $END, y: a } # why\n");
  });

  it("changes who plays: a person, an agent, a program", () => {
    const person = done(
      BY_HAND,
      operations.setPlayer(BY_HAND, { role: "coder", player: { kind: "person" } }),
    );
    expect(roleOf(person, "coder")).toMatchObject({ player: { kind: "person" }, procedure: null });
    const agent = { kind: "agent", agent: "npm-test" } as const;
    const program = done(
      BY_HAND,
      operations.setPlayer(BY_HAND, { role: "second-look", player: agent }),
    );
    expect(roleOf(program, "second-look")?.player).toEqual(agent);
    expect(program).toContain(
      "agents: { default: claude,   planner: codex, second-look: npm-test }",
    );
    const nobody = { kind: "agent", agent: null } as const;
    const free = done(BY_HAND, operations.setPlayer(BY_HAND, { role: "planner", player: nobody }));
    expect(free).toContain("agents: { default: claude }   # who plays");
  });

  it("gives a field another name where prompts and the result use it", () => {
    const field = {
      name: "report",
      kind: "text",
      choices: [],
      about: "What was done",
      required: true,
    } as const;
    const edit = operations.setField(BY_HAND, {
      role: "coder",
      name: "what",
      field: { ...field, choices: [] },
    });
    const after = done(BY_HAND, edit);
    expect(changedLines(BY_HAND, after).filter((line) => line.startsWith("+"))).toEqual([
      "+         report:",
      "+         - report",
      '+     - { status: stuck, role: planner, prompt: "{{ last.meta.report }}" }',
      "+         Done: {{ byRole.coder.last.meta.report }}",
      "+ result: byRole.coder.last.meta.report",
    ]);
  });

  it("connects, disconnects, and removes a role; what led there goes on", () => {
    const to = operations.connect(SCAFFOLD, { from: "reviewer", answer: "good", to: "writer" });
    expect(edgeOf(done(SCAFFOLD, to), ["graph", "reviewer", "good"])?.to).toBe("writer");
    const edge = ["graph", "writer", "stuck"];
    const cut = done(SCAFFOLD, operations.disconnect(SCAFFOLD, { edge }));
    expect(edgeOf(cut, edge)).toBeUndefined();
    const asked = done(
      cut,
      operations.connect(cut, { from: "writer", answer: "stuck", to: "$SUSPEND" }),
    );
    expect(edgeOf(asked, edge)).toMatchObject({ to: "$SUSPEND", prompt: "What shall be done?" });
    const without = done(SCAFFOLD, operations.removeRole(SCAFFOLD, { role: "reviewer" }));
    expect(edgeOf(without, ["graph", "writer", "written"])?.to).toBe("$END");
    expect(outline(without).roles.map(({ name }) => name)).toEqual(["writer"]);
  });

  it("says what it cannot do, and changes nothing", () => {
    const refusals = [
      operations.removeRole("roles: { a: {} }", { role: "a" }),
      operations.setGoal("roles: [", { role: "a", goal: "b" }),
      operations.addAnswer(SCAFFOLD, { role: "nobody", answer: "a", to: "$END" }),
      operations.addAnswer(SCAFFOLD, { role: "writer", answer: "written", to: "$END" }),
      operations.addField(SCAFFOLD, {
        role: "writer",
        field: { name: "__proto__", kind: "text", choices: [], about: null, required: false },
      }),
      operations.disconnect(SCAFFOLD, { edge: ["graph", "$START", "new"] }),
    ];
    expect(refusals.map((each) => each.ok)).toEqual(refusals.map(() => false));
  });
});

/** What was added, and how it is removed. */
type There = {
  name: string;
  add: (text: string) => Result<Edit, Failure>;
  remove: (text: string) => Result<Edit, Failure>;
};

function pairsFor(text: string): There[] {
  const { roles, edges } = outline(text);
  const field = {
    name: "extra",
    kind: "choice",
    choices: ["a", "b: c"],
    about: "Which: one?",
    required: true,
  } as const;
  const player = { kind: "person" } as const;
  return [
    {
      name: "a role",
      add: (at) => operations.addRole(at, { role: "extra", goal: "Do: more", player, to: "$END" }),
      remove: (at) => operations.removeRole(at, { role: "extra" }),
    },
    ...roles.flatMap(({ name: role, answers }): There[] => [
      {
        name: `a field of ${role}`,
        add: (at) =>
          operations.addField(at, { role, field: { ...field, choices: [...field.choices] } }),
        remove: (at) => operations.removeField(at, { role, field: "extra" }),
      },
      ...(answers.length === 0
        ? []
        : [
            {
              name: `an answer of ${role}`,
              add: (at: string) => operations.addAnswer(at, { role, answer: "extra", to: "$END" }),
              remove: (at: string) => operations.removeAnswer(at, { role, answer: "extra" }),
            },
          ]),
    ]),
    ...edges
      .filter(({ prompt, path }) => prompt === null && typeof path.at(-1) === "string")
      .map(
        ({ path }): There => ({
          name: `a prompt of ${path.join(".")}`,
          add: (at) => operations.setPrompt(at, { edge: path, prompt: "Go: on" }),
          remove: (at) => operations.setPrompt(at, { edge: path, prompt: null }),
        }),
      ),
  ];
}

describe.each(FILES)("a file %s", (_name, text) => {
  it("is the same, byte for byte, when what was added is removed", () => {
    for (const { name, add, remove } of pairsFor(text)) {
      const after = done(text, add(text));
      expect(after, name).not.toBe(text);
      expect(done(after, remove(after)), name).toBe(text);
      expect(changedLines(text, after).length, name).toBeLessThanOrEqual(14);
      expect(commentsIn(after), name).toEqual(commentsIn(text));
    }
  });

  it("has every text exactly, however odd, and all its comments", () => {
    fc.assert(
      fc.property(nasty, fc.nat(), (odd, at) => {
        const { roles, edges } = outline(text);
        const role = roles[at % roles.length]?.name ?? "";
        const edge = edges[at % edges.length]?.path ?? [];
        const goal = done(text, operations.setGoal(text, { role, goal: odd }));
        expect(roleOf(goal, role)?.goal).toBe(odd);
        const prompt = done(goal, operations.setPrompt(goal, { edge, prompt: odd }));
        expect(edgeOf(prompt, edge)?.prompt).toBe(odd);
        const more = {
          name: "extra",
          kind: "text",
          choices: [],
          about: odd,
          required: false,
        } as const;
        const fielded = done(
          prompt,
          operations.addField(prompt, { role, field: { ...more, choices: [] } }),
        );
        const about = roleOf(fielded, role)?.fields.find(({ name }) => name === "extra")?.about;
        expect(about).toBe(odd === "" ? null : odd);
        expect(commentsIn(fielded).toSorted()).toEqual(commentsIn(text).toSorted());
        expect(outline(fielded).edges.length).toBe(edges.length);
      }),
      RUNS,
    );
  });
});

const BITS = [
  ..."#:-?'\"|>&*!%@`{}[],~=\\ \t\n\r\0",
  ...[
    "# ",
    ": ",
    "- ",
    " #x",
    "{{ last }}",
    "\n\n",
    "\r\n",
    "  ",
    "null",
    "true",
    "1e3",
    "0x1",
    "yes",
  ],
  ...["---", "...", "<<", "\u0085", "\u2028", "\ufeff", "\ud800", "\u{1f642}", "\u007f", "word"],
];
const nasty = fc.oneof(
  fc.array(fc.constantFrom(...BITS), { maxLength: 8 }).map((bits) => bits.join("")),
  fc.string({ unit: "binary", maxLength: 30 }),
);
