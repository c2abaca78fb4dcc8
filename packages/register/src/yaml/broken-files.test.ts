/** Files with faults, and everything reported about each: `line:column message`. */
import { failure } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { compileYaml } from "./compile-yaml.ts";
import type { YamlChecks } from "./yaml-checks.ts";

/** Refuses text that contains `!!`. */
const refuse = (what: string) => (text: string) =>
  text.includes("!!") ? failure("RULE_INVALID", `is no ${what}`, "") : null;
const CHECKS: YamlChecks = {
  checkRule: refuse("rule"),
  checkTemplate: refuse("template"),
  checkPattern: refuse("pattern"),
};

function faultsOf(text: string): string[] {
  const result = compileYaml(text, { place: "f", checks: CHECKS });
  if (result.ok) return [];
  return result.error.message
    .split("\n")
    .flatMap((line) => /^f:(\d+:\d+): (.*)$/.exec(line)?.slice(1).join(" ") ?? []);
}

/** The suggested corrections. */
function suggested(text: string): string[] {
  const result = compileYaml(text, { place: "f", checks: CHECKS });
  const lines = result.ok ? [] : result.error.message.split("\n");
  return lines.flatMap((line) => (line.startsWith("write | ") ? [line.slice(8)] : []));
}

/** A valid file; each case changes a part of it. Lines 3 to 8 are the role, 10 and 11 the graph. */
const SOUND = `description: d
roles:
  writer:
    goal: g
    output:
      type: object
      properties: { status: { enum: [done, stuck] } }
      required: [status]
graph:
  $START: { new: writer }
  writer: { done: $END, stuck: { role: writer } }
`;

const output = (text: string): string =>
  SOUND.replace(/ output:[\s\S]*(?=graph:)/, ` output: ${text}\n`).replace(
    / writer: \{ done.*/,
    " writer: $END",
  );
const graph = (text: string): string =>
  SOUND.replace("{ done: $END, stuck: { role: writer } }", text);
const role = (text: string): string => SOUND.replace("goal: g", `goal: g\n    ${text}`);

describe("a broken YAML file", () => {
  it("is not the valid one", () => {
    expect(faultsOf(SOUND)).toEqual([]);
    expect(faultsOf(output("{ type: object }"))).toEqual([]);
  });

  it.each<[string, string, string[]]>([
    // The text.
    ["empty", "", ["1:1 the file is empty"]],
    ["a comment only", "# nothing\n", ["1:1 the file is empty"]],
    [
      "a text",
      "hello",
      [
        "1:1 the file: must be a mapping with description, agents, roles, graph, limits, result, workspace, not text",
      ],
    ],
    [
      "a list",
      "- a",
      [
        "1:1 the file: must be a mapping with description, agents, roles, graph, limits, result, workspace, not a list",
      ],
    ],
    [
      "a tab",
      SOUND.replace("  writer:", "\twriter:"),
      ["3:1 there is a tab in the indentation; use spaces"],
    ],
    ["the same key twice", `${SOUND}description: e\n`, ['12:1 "description" appears here twice']],
    [
      "a second document",
      `${SOUND}---\na: b\n`,
      ["12:1 a second document begins; a workflow is only one, so remove the line ---"],
    ],
    [
      "an unknown tag",
      SOUND.replace("goal: g", "goal: !x g"),
      ["4:11 tags (words that begin with !) mean nothing here; remove it"],
    ],
    [
      "an alias",
      SOUND.replace("goal: g", "goal: &g g").replace("new: writer", "new: *g"),
      ["10:18 graph.$START.new: must be text, not an alias: write the value out"],
    ],
    [
      "a colon in a text",
      SOUND.replace("goal: g", "goal: one: two"),
      [
        '4:11 a second ": " stands in this value; put the value into quotes, or write its keys on lines of their own',
      ],
    ],
    [
      "an open bracket",
      SOUND.replace("{ new: writer }", "{ new: writer"),
      ["10:11 this bracket is opened and never closed"],
    ],
    [
      "an open quote",
      SOUND.replace("goal: g", 'goal: "g'),
      ["4:11 this quote is opened and never closed"],
    ],
    [
      "words in typographic quotes",
      SOUND.replace("[done, stuck]", "[“done”, stuck]"),
      ["7:38 typographic quotes are part of the word; leave them out: done"],
    ],
    [
      "a dash of a word processor",
      role("procedure:\n      – Read\n      – Write"),
      ["6:7 an entry of a list begins with a hyphen and a space: - like this"],
    ],
    [
      "a hyphen without its space",
      role("procedure:\n      -Read\n      -Write"),
      ["6:7 an entry of a list begins with a hyphen and a space: - like this"],
    ],
    [
      "a word with an invisible character",
      SOUND.replace("new: writer", "new: wri\u200bter"),
      ["10:18 the word contains an invisible character; type it again"],
    ],
    [
      "a value that is a comment",
      SOUND.replace("goal: g", "goal: #1 in sales"),
      ["4:5 everything after a # is a comment, so there is no value; put the value into quotes"],
    ],
    [
      "a Markdown fence around it",
      `\`\`\`yaml\n${SOUND}\`\`\`\n`,
      [
        "1:1 this line is not part of the workflow but of where it was copied from; remove it",
        "13:1 this line is not part of the workflow but of where it was copied from; remove it",
      ],
    ],
    [
      "no space after a colon, with nothing else there",
      SOUND.replace("{ new: writer }", "\n    new:writer"),
      [
        "11:5 graph.$START: must be a mapping with new, resume, not text; a space is missing after the colon: new: writer",
      ],
    ],
    [
      "$START in other letters",
      SOUND.replace("$START", "$start"),
      [
        '9:1 graph: "$START" is missing: who begins? Write below graph: $START: { new: writer }',
        '10:3 graph.$start: there is no role "$start"; did you mean "$START"?',
      ],
    ],
    [
      "an @",
      SOUND.replace("goal: g", "goal: @g"),
      ["4:11 a value cannot begin with this character; put the value into quotes"],
    ],
    // The keys.
    [
      "a misspelt key",
      SOUND.replace("description", "desciption"),
      [
        '1:1 desciption: "desciption" is not known here; did you mean "description"?',
        '1:1 the file: "description" is missing',
      ],
    ],
    [
      "a name",
      `name: n\n${SOUND}`,
      [
        '1:1 name: "name" is not known here; there are: description, agents, roles, graph, limits, result, workspace',
      ],
    ],
    ["no graph", SOUND.replace(/graph:[\s\S]*/, ""), ['1:1 the file: "graph" is missing']],
    ["a key that is a number", `1: x\n${SOUND}`, ["1:1 1 is not a name; put quotes around it"]],
    [
      "a key that is a list",
      `? [a]\n: x\n${SOUND}`,
      ["1:3 this is not a name; put quotes around it"],
    ],
    [
      "no description",
      SOUND.replace("description: d", "description:"),
      ["1:1 description: must be text, but there is nothing here; put quotes around it"],
    ],
    [
      "an empty description",
      SOUND.replace("description: d", 'description: " "'),
      ["1:14 description: must not be empty"],
    ],
    [
      "a number as text",
      SOUND.replace("goal: g", "goal: 12"),
      ["4:11 roles.writer.goal: must be text, not 12; put quotes around it"],
    ],
    [
      "an unquoted placeholder",
      graph("{ role: $END, prompt: {{ last }} }"),
      ["11:33 graph.writer.prompt: must be text, not a mapping; put quotes around it"],
    ],
    // Roles.
    [
      "no role",
      SOUND.replace(/roles:[\s\S]*(?=graph:)/, "roles: {}\n"),
      ["2:8 roles: must have at least one role"],
    ],
    [
      "a role's bad name",
      SOUND.replaceAll("writer", "2nd"),
      ["3:3 roles.2nd: a role's name is a letter, then at most 63 letters, digits, _ or -"],
    ],
    [
      "a role named constructor",
      SOUND.replaceAll("writer", "constructor"),
      [
        "3:3 roles.constructor: the name means something else in JSONata or JavaScript; choose another",
      ],
    ],
    [
      "a role without a goal",
      SOUND.replace("    goal: g\n", ""),
      ['3:3 roles.writer: "goal" is missing'],
    ],
    [
      "capabilities as text",
      role("capabilities: all"),
      ["5:19 roles.writer.capabilities: must be a list, not text"],
    ],
    [
      "a capability that is a number",
      role("capabilities: [a, 2]"),
      ["5:23 roles.writer.capabilities[1]: must be text, not 2; put quotes around it"],
    ],
    [
      "a time of 0",
      role("timeoutMs: 0"),
      ["5:16 roles.writer.timeoutMs: must be a whole number, 1 or more"],
    ],
    [
      "a time as text",
      role("timeoutMs: 20m"),
      ["5:16 roles.writer.timeoutMs: must be a whole number, 1 or more"],
    ],
    [
      "a retry without attempts",
      role("retry: {}"),
      ['5:5 roles.writer.retry: "attempts" is missing'],
    ],
    [
      "a retry on nonsense",
      role("retry: { attempts: 1, on: [time_out] }"),
      ['5:32 roles.writer.retry.on[0]: "time_out" is not known here; did you mean "timeout"?'],
    ],
    [
      "an unknown limit",
      role("limits: { cost: 1 }"),
      [
        '5:15 roles.writer.limits.cost: "cost" is not known here; there are: steps, tokens, costUsd, timeMs',
      ],
    ],
    [
      "costs below 0",
      `${SOUND}limits: { costUsd: -1 }\n`,
      ["12:20 limits.costUsd: must be an amount above 0"],
    ],
    [
      "an unknown tool",
      role("tools: { deny: [{ kind: edt }] }"),
      ['5:29 roles.writer.tools.deny[0].kind: "edt" is not known here; did you mean "edit"?'],
    ],
    [
      "a rule about no tool",
      role("tools: { deny: [{ input: x }] }"),
      ['5:21 roles.writer.tools.deny[0]: must name the tool: "kind", "name" or both'],
    ],
    [
      "a bad pattern",
      role("tools: { deny: [{ kind: edit, input: a!! }] }"),
      ["5:42 roles.writer.tools.deny[0].input: is no pattern"],
    ],
    [
      "evidence without input",
      role("requiredEvidence: [{ name: t, kind: execute }]"),
      ['5:24 roles.writer.requiredEvidence[0]: "input" is missing'],
    ],
    [
      "a check without a command",
      role("requiredEvidence: [{ check: { setup: [npm, ci] } }]"),
      ['5:26 roles.writer.requiredEvidence[0].check: "command" is missing'],
    ],
    [
      "a check with an unknown canary, and a network that is neither there nor not",
      role(
        'requiredEvidence: [{ check: { command: [npm, test], canary: vitests, network: "no" } }]',
      ),
      [
        '5:65 roles.writer.requiredEvidence[0].check.canary: "vitests" is not known here; did you mean "vitest"?',
        "5:83 roles.writer.requiredEvidence[0].check.network: must be true or false",
      ],
    ],
    // Outputs.
    [
      "an output of text",
      output("{ type: string }"),
      ['5:5 roles.writer.output: must say "type: object"'],
    ],
    [
      "an output without a type",
      output("{ properties: {} }"),
      [
        '5:5 roles.writer.output: must say what it is: "type" with one of object, array, string, number, integer, boolean, null',
        '5:5 roles.writer.output: must say "type: object"',
      ],
    ],
    [
      "an unknown type",
      output("{ type: object, properties: { a: { type: strng } } }"),
      [
        '5:54 roles.writer.output.properties.a.type: "strng" is not known here; did you mean "string"?',
      ],
    ],
    [
      "an unknown keyword",
      output("{ type: object, propertis: {} }"),
      [
        '5:29 roles.writer.output.propertis: "propertis" is not known here; did you mean "properties"?',
      ],
    ],
    [
      "a required field that does not exist",
      output("{ type: object, properties: { text: { type: string } }, required: [txt] }"),
      [
        '5:80 roles.writer.output.required[0]: "txt" is not one of the properties; did you mean "text"?',
      ],
    ],
    [
      "a pattern that is not linear",
      output('{ type: object, properties: { a: { type: string, pattern: "a!!" } } }'),
      ["5:71 roles.writer.output.properties.a.pattern: is no pattern"],
    ],
    [
      "an open pattern",
      output('{ type: object, properties: { a: { type: string, pattern: "(" } } }'),
      [
        "5:71 roles.writer.output.properties.a.pattern: Invalid regular expression: /(/u: Unterminated group",
      ],
    ],
    [
      "a field named __proto__",
      output("{ type: object, properties: { __proto__: { type: string } } }"),
      ["5:43 roles.writer.output.properties.__proto__: a field cannot have this name"],
    ],
    [
      "a status that is true",
      SOUND.replace("[done, stuck]", "[done, true]"),
      [
        "7:44 roles.writer.output.properties.status.enum[1]: must be text, not true; put quotes around it",
      ],
    ],
    [
      "a status that is reserved",
      SOUND.replace("stuck]", "$stuck]"),
      [
        '7:44 roles.writer.output.properties.status.enum[1]: "$stuck" cannot be a status: use another word',
      ],
    ],
    [
      "a status that may be missing",
      SOUND.replace("      required: [status]\n", ""),
      [
        '7:21 roles.writer.output.properties.status: the graph decides by it, so "required" must have it',
      ],
    ],
    // The graph.
    [
      "no role that begins",
      SOUND.replace("  $START: { new: writer }\n", ""),
      ['9:1 graph: "$START" is missing: who begins? Write below graph: $START: { new: writer }'],
    ],
    [
      "$START without new",
      SOUND.replace("{ new: writer }", "{ resume: writer }"),
      ['10:3 graph.$START: "new" is missing'],
    ],
    [
      "a role without an entry",
      SOUND.replace(/ {2}writer: \{ done.*\n/, ""),
      ['9:1 graph: "writer" is missing: who comes after it?'],
    ],
    [
      "an entry of an unknown role",
      `${SOUND}  writr: $END\n`,
      ['12:3 graph.writr: there is no role "writr"; did you mean "writer"?'],
    ],
    [
      "an unknown target",
      SOUND.replace("stuck: { role: writer }", "stuck: { role: wrter }"),
      ['11:40 graph.writer.stuck.role: there is no role "wrter"; did you mean "writer"?'],
    ],
    [
      "END without its sign",
      SOUND.replace("$END", "END"),
      ['11:19 graph.writer.done: there is no role "END"; did you mean "$END"?'],
    ],
    [
      "a status left out",
      graph("{ done: $END }"),
      ['11:3 graph.writer: nothing is said about the status "stuck"'],
    ],
    [
      "an unknown status",
      graph("{ done: $END, stuk: $END, stuck: writer }"),
      ['11:25 graph.writer.stuk: writer has no status "stuk"; did you mean "stuck"?'],
    ],
    [
      "statuses of an output without any",
      output("{ type: object }").replace("writer: $END", "writer: { ok: $END }"),
      [
        '8:11 graph.writer: the output of writer has no "status" with an "enum" to decide by; name the next role, or add one',
      ],
    ],
    [
      "a wait without a question",
      graph("{ done: $END, stuck: $SUSPEND }"),
      ["11:32 graph.writer.stuck: the question is missing: { role: $SUSPEND, prompt: What …? }"],
    ],
    [
      "a wait before the first step",
      SOUND.replace("new: writer", "new: { role: $SUSPEND, prompt: x }"),
      ["10:26 graph.$START.new.role: nobody has asked anything before the first step"],
    ],
    [
      "a broken placeholder",
      graph('{ role: $END, prompt: "{{ !! }}" }'),
      ["11:33 graph.writer.prompt: is no template"],
    ],
    [
      "a location without a role",
      graph("{ role: $END, location: x }"),
      ["11:25 graph.writer.location: nobody works there: it is for a role"],
    ],
    [
      "a broken condition",
      graph("[{ role: writer, when: a!! }, { role: $END }]"),
      ["11:34 graph.writer[0].when: is no rule"],
    ],
    [
      "conditions that may all fail",
      graph("[{ role: writer, status: done }]"),
      ['11:3 graph.writer: nothing is said about the status "stuck"'],
    ],
    [
      "a rule that is never reached",
      graph("[{ role: writer }, { role: $END, status: done }]"),
      ["11:30 graph.writer[1]: is never reached: the rules before it always hold"],
    ],
    [
      "no rule",
      graph("[]"),
      ['11:3 graph.writer: nothing is said about the status "done", "stuck"'],
    ],
    [
      "an unknown outcome",
      graph("[{ role: writer, outcomes: [timout] }, { role: $END }]"),
      ['11:39 graph.writer[0].outcomes[0]: "timout" is not known here; did you mean "timeout"?'],
    ],
    [
      "a name without a condition",
      graph("[{ role: writer, name: n }]"),
      ["11:34 graph.writer[0].name: names a condition, and the rule has none"],
    ],
    // Agents.
    [
      "an agent for an unknown role",
      `${SOUND}agents: { witer: a }\n`,
      ['12:11 agents.witer: there is no role "witer"; did you mean "writer"?'],
    ],
    [
      "an agent that is a number",
      `${SOUND}agents: { default: 1 }\n`,
      ["12:20 agents.default: must be text, not 1; put quotes around it"],
    ],
  ])("with %s: every fault has its place", (_, text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });

  it.each<[string, string, string]>([
    ["typographic quotes", "goal: “Write: now”", 'goal: "Write: now"'],
    ["single typographic quotes", "goal: ‘Write: now’", "goal: 'Write: now'"],
    ["a colon in a text", "goal: Note: be kind", 'goal: "Note: be kind"'],
    ["a colon at the end of a text", "goal: Write this:", 'goal: "Write this:"'],
    ["no space after the colon", "goal:write", "goal: write"],
    ["a colon of another script", "goal： write", "goal: write"],
    ["a special space", "goal:\u00a0write", "goal: write"],
    ["a quote inside quotes", "goal: 'it's good'", 'goal: "it\'s good"'],
    ["words after quotes", 'goal: "Hi" she says', "goal: '\"Hi\" she says'"],
    ["words after a placeholder", "goal: {{ x }} it", 'goal: "{{ x }} it"'],
    ["a star", "goal: *bold* text", 'goal: "*bold* text"'],
    ["an @", "goal: @ada", 'goal: "@ada"'],
    ["an open quote", 'goal: "write', 'goal: "write"'],
    ["an open bracket", "capabilities: [a, b", "capabilities: [a, b]"],
  ])("shows the line as it should be, with %s", (_, wrong, right) => {
    const text = SOUND.replace("    goal: g\n", `    goal: g\n    ${wrong}\n`).replace(
      wrong.startsWith("goal") ? "    goal: g\n" : "never",
      "",
    );
    expect(suggested(text)).toEqual([`    ${right}`]);
  });

  it.each([
    ["one space too few", "    output:", "   output:"],
    ["one space too many", "    output:", "     output:"],
    ["one space too few in a first line", "    goal: g", "   goal: g"],
    ["a tab", "    goal: g", "\tgoal: g"],
    ["a tab among spaces", "    goal: g", "  \tgoal: g"],
    ["spaces of another kind", "    goal: g", "\u00a0\u00a0\u00a0\u00a0goal: g"],
  ])("shows the line in its column, with %s", (_, right, wrong) => {
    expect(suggested(SOUND.replace(right, wrong))).toEqual([right]);
  });

  it("shows every line that was typed wrongly, not only the first", () => {
    const text = SOUND.replace("description: d", "description:d")
      .replace("goal: g", "goal: one: two")
      .replace("  $START: { new: writer }", "  $START: { new: writer");
    expect(suggested(text)).toEqual([
      "description: d",
      '    goal: "one: two"',
      "  $START: { new: writer }",
    ]);
  });

  it("accepts a byte order mark and old line ends", () => {
    expect(faultsOf(`\uFEFF${SOUND}`)).toEqual([]);
    expect(faultsOf(SOUND.replaceAll("\n", "\r\n"))).toEqual([]);
    expect(faultsOf(SOUND.replaceAll("\n", "\r"))).toEqual([]);
  });

  it("says what to do, without delay, when nothing helps", () => {
    const faults = faultsOf(`${"a: [b: {c\n".repeat(2_000)}`);
    expect(faults.length).toBeGreaterThan(0);
  });

  it("reports all faults at once, in the order of the file, each with its line", async () => {
    const text = SOUND.replace("goal", "gaol")
      .replace("[status]", "[state]")
      .replace("stuck:", "stick:");
    const result = compileYaml(text, { place: "flow.yaml", checks: CHECKS });
    const message = result.ok ? "" : result.error.message;
    await expect(`${message}\n`).toMatchFileSnapshot("./golden/faults.txt");
  });

  it.each([
    [
      "of more than 256 KiB",
      `description: ${"x".repeat(300_000)}`,
      "1:1 the file has more than 256 KiB",
    ],
    ["60,000 lists deep", "- ".repeat(60_000), "1:1 the line begins 400 columns deep"],
    ["100,000 brackets deep", "[".repeat(100_000), "1:201 brackets are nested too deep"],
    [
      "of aliases of aliases",
      `a: &a [x, x]\n${"bcdefghi".replace(/./g, (c) => `${c}: &${c} [*${String.fromCharCode(c.charCodeAt(0) - 1)}, *${String.fromCharCode(c.charCodeAt(0) - 1)}]\n`)}`,
      '1:1 a: "a" is not known here',
    ],
    [
      "with 20,000 keys",
      `${SOUND}x: {${Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join(", ")}}`,
      '12:1 x: "x" is not known here',
    ],
    [
      "with a schema 100 deep",
      output(`${"{ type: array, items: ".repeat(100)}{}${" }".repeat(100)}`),
      "is nested too deep",
    ],
  ])(
    "%s is refused quickly",
    (_, text, fault) => {
      const [first = ""] = faultsOf(text).filter((one) => one.includes(fault));
      expect(first).toContain(fault);
    },
    30_000,
  );

  it("shows a long line from shortly before the fault", () => {
    const text = `description: { ${"a: 1, ".repeat(100)}b: [ }`;
    const result = compileYaml(text, { place: "f", checks: CHECKS });
    const longest = Math.max(
      ...(result.ok ? [] : result.error.message.split("\n").map((line) => line.length)),
    );
    expect(longest).toBeLessThan(140);
  });
});
