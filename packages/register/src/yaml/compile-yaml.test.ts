import { readFileSync } from "node:fs";
import { END, START, SUSPEND } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UNCHECKED } from "../scratch.test.helper.ts";
import { type CompiledYaml, compileYaml } from "./compile-yaml.ts";

const EXAMPLE = readFileSync(new URL("./golden/greeting.yaml", import.meta.url), "utf8");

function compiled(text: string): CompiledYaml {
  const result = compileYaml(text, { place: "flow.yaml", checks: UNCHECKED });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** The workflow in a bundle. */
function dataIn(code: string): {
  roles: { [role: string]: { systemPrompt: string } };
  table: { [from: string]: { condition: unknown; role: string }[] };
} {
  const [, json = ""] = /JSON\.parse\(("[\s\S]*")\)\);/.exec(code) ?? [];
  return JSON.parse(JSON.parse(json));
}

/** A workflow of one role with this entry in the graph. */
function entry(text: string): string {
  return [
    "description: one",
    "roles:",
    "  a:",
    "    goal: do it",
    "    output:",
    "      type: object",
    "      properties: { status: { enum: [x, y, z] } }",
    "      required: [status]",
    "graph:",
    "  $START: { new: a }",
    `  a: ${text}`,
  ].join("\n");
}

describe("a workflow written as YAML", () => {
  it("becomes the same module on every machine", async () => {
    await expect(compiled(EXAMPLE).code).toMatchFileSnapshot("./golden/greeting.esm.js.txt");
  });

  it("is the same whatever its line ends are, and with a byte order mark", () => {
    const { source: _, ...other } = compiled(`\uFEFF${EXAMPLE.replaceAll("\n", "\r\n")}`);
    expect(compiled(EXAMPLE)).toMatchObject(other);
  });

  it("tells an agent its role's name, goal, capabilities and procedure", async () => {
    const prompts = Object.values(dataIn(compiled(EXAMPLE).code).roles).map(
      ({ systemPrompt }) => systemPrompt,
    );
    await expect(`${prompts.join("\n\n---\n\n")}\n`).toMatchFileSnapshot("./golden/prompts.md");
  });

  it.each([
    ["$END", [["FALLBACK", END]]],
    ["{ role: a, prompt: again }", [["FALLBACK", "a"]]],
    [
      "{ x: a, y: $END, z: { role: $SUSPEND, prompt: Why? } }",
      [
        [{ name: "x", when: 'last.meta.status = "x"' }, "a"],
        [{ name: "y", when: 'last.meta.status = "y"' }, END],
        [{ name: "z", when: 'last.meta.status = "z"' }, SUSPEND],
      ],
    ],
    [
      "[{ status: [x, y], role: a }, { status: z, when: last, role: a }, { when: last, name: n, role: a }, { outcomes: [limit], role: $END }, { role: $END }]",
      [
        [{ name: "x or y", when: 'last.meta.status in ["x", "y"]' }, "a"],
        [{ name: "z, last", when: 'last.meta.status = "z" and (last)' }, "a"],
        [{ name: "n", when: "last" }, "a"],
        ["FALLBACK", END],
        ["FALLBACK", END],
      ],
    ],
  ])("the entry %s becomes rules of the table", (text, rules) => {
    const { table } = dataIn(compiled(entry(text)).code);
    expect(table.a?.map(({ condition, role }) => [condition, role])).toEqual(rules);
    expect(table[START]).toEqual([{ condition: "FALLBACK", role: "a" }]);
  });

  it("says which role is never reached", () => {
    const text = entry("$END").replace(
      "roles:",
      "roles:\n  b: { goal: g, output: { type: object } }",
    );
    expect(compiled(`${text}\n  b: $END\n`).warnings).toEqual(["no rule leads to the role b"]);
  });

  it("keeps names such as __proto__ and texts that look like code as data", () => {
    const text = entry('{ role: $END, prompt: "\\"));process.exit(1);//\\u2028`" }');
    const code = compiled(text.replace("goal: do it", "goal: __proto__")).code;
    expect(Object.keys(dataIn(code).table)).toEqual(["a", START]);
    expect(code.split("\n")).toHaveLength(3);
  });

  it("a role that a person plays has a form, and nothing that is for agents", () => {
    const flow = (role: string, agents = ""): string =>
      `description: d\n${agents}roles:\n  boss:\n${role}    output: { type: object, properties: {} }\ngraph:\n  $START: { new: boss }\n  boss: $END\n`;
    const role = "    by: person\n    goal: Decide.\n    assignees: [alice]\n    timeoutMs: 5\n";
    const { boss } = dataIn(compiled(flow(role)).code).roles;
    expect(boss).toMatchObject({
      ...{ description: "Decide.", person: { assignees: ["alice"] }, timeoutMs: 5 },
    });
    const faults = (text: string): string => {
      const result = compileYaml(text, { place: "f", checks: UNCHECKED });
      return result.ok ? "" : result.error.message;
    };
    expect(faults(flow("    by: robot\n"))).toContain('roles.boss.by: "robot" is not known here');
    expect(faults(flow(`${role}    retry: { attempts: 1 }\n`))).toContain(
      '"retry" is not known here',
    );
    expect(faults(flow(role, "agents: { boss: claude }\n"))).toContain("a person plays this role");
  });

  it("any text is either compiled or its faults are reported", () => {
    const piece = fc.constantFrom(
      ...[
        "a",
        ":",
        " ",
        "\n",
        "  ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        "*x",
        "&x ",
        "!t ",
        "'",
        '"',
        "|",
        "#",
      ],
      ...["\t", "$START", "roles:", "graph:", "output:", "\u0000", "é", "? ", "<<: ", "%", "---\n"],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const result = compileYaml(pieces.join(""), { place: "f", checks: UNCHECKED });
        return result.ok || /^f has .*\nf:\d+:\d+: /.test(result.error.message);
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it("a file with any one line changed is compiled or its faults reported, never thrown", () => {
    const lines = EXAMPLE.split("\n");
    for (const at of lines.keys()) {
      for (const line of [null, `  ${lines[at]}`, lines[at]?.slice(1) ?? "", `${lines[at]} x: [`]) {
        const changed = lines.toSpliced(at, 1, ...(line === null ? [] : [line])).join("\n");
        const result = compileYaml(changed, { place: "f", checks: UNCHECKED });
        expect(result.ok || result.error.code).toBeOneOf([true, "YAML_INVALID"]);
      }
    }
    // Hundreds of files, with trial corrections for each.
  }, 120_000);
});
