import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { END, type ModeratorContext, type ModeratorStep, START } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerIn } from "./answer-in.ts";
import { evaluateApart } from "./evaluator.ts";
import { parseExpression } from "./expression.ts";
import { checkRule, checkTemplate, fillTemplate, pickRoute } from "./index.ts";
import { LIMITS } from "./limits.ts";
import { visible } from "./projection.ts";

const step = (meta: Record<string, unknown> = {}): ModeratorStep => ({
  role: "coder",
  meta,
  contentHash: "0000000000000",
  refs: [],
  timestamp: 0,
});

const context = (...steps: ModeratorStep[]): ModeratorContext => ({
  threadId: "01KAJ2Z6PVX0000000000000ZZ",
  depth: 0,
  bundleHash: "0000000000000",
  start: { role: START, content: "do it", meta: {}, timestamp: 0, parentState: null },
  steps,
});

const rule = (when: string) => [{ from: "coder", to: "yes", when, condition: "runaway" }];

const failureOf = (when: string, asked = context(step())): Promise<string> =>
  pickRoute(rule(when), asked).then(
    ({ to }) => `it led to ${to}`,
    (thrown: { failure?: { code: string; message: string } }) =>
      `${thrown.failure?.code}: ${thrown.failure?.message}`,
  );

/** Counts turns of the event loop while something is awaited. One a millisecond: without a pause, this process would
 *  take the processor from the one that it waits for. */
async function turnsDuring(waiting: Promise<unknown>): Promise<number> {
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 1);
  await waiting;
  clearInterval(counting);
  return turns;
}

const NEEDS_OTHER_PROCESS = "$map(steps, function($s) { $s.meta.n })";
const PATIENCE_MS = 60_000;

describe("an evaluation that does not finish", () => {
  it.each([
    ["inside a function of the language", "$count($distinct([1..1000000])) > 0"],
    ["in a function of its own", "( $f := function() { $f() }; $f() )"],
    [
      "going through pairs",
      "$count($filter([1..300000], function($x) { $count([1..$x]) < 0 })) > 0",
    ],
  ])(
    "%s is ended, the calling thread stays responsive, and the next question is answered",
    { timeout: PATIENCE_MS },
    async (_where, when) => {
      const failed = failureOf(when);
      expect(await turnsDuring(failed)).toBeGreaterThan(100);
      expect(await failed).toMatch(
        /^MODERATOR_FAILED: table\.coder\[0\] \(runaway\) failed after/u,
      );
      expect(await failed).toMatch(/took longer than 5000 ms|timeout after 5000 milli/u);
      const asked = context(step({ n: 1 }));
      expect(await fillTemplate(`{{ ${NEEDS_OTHER_PROCESS} }}`, asked)).toBe("1");
    },
  );

  it("counts as one with the other rules of its state", { timeout: PATIENCE_MS }, async () => {
    const when = "$count($filter([1..30000], function($x) { $x < 0 })) > 0";
    const rules = Array.from({ length: 1_000 }, () => ({ from: "coder", to: "x", when }));
    await expect(pickRoute(rules, context(step()))).rejects.toMatchObject({
      failure: { code: "MODERATOR_FAILED" },
    });
  });
});

describe("an evaluation that needs too much memory", () => {
  it.each([
    "( $a := [1..1000000].{ 'a': $, 'b': [$] }; $count($a) > 0 )",
    "( $t := $join($map([1..1500], function($x) { $pad('x', 10000) })); $count($append($split($t, ''), $split($t, ''))) > 0 )",
    "( $t := $join($map([1..1500], function($x) { $pad('x', 10000) })); $length($string([$t, $t, $t])) > 0 )",
    "( $t := $join($map([1..1500], function($x) { $pad('x', 10000) })); $length([$t, $t, $t] & '') > 0 )",
    "( $t := $join($map([1..1500], function($x) { $pad('x', 10000) })); $length($join([$t, $t, $t])) > 0 )",
  ])("fails alone: %s", { timeout: PATIENCE_MS }, async (when) => {
    expect(await failureOf(when)).toMatch(/^MODERATOR_FAILED: table\.coder\[0\]/u);
    expect(await failureOf("true")).toBe("it led to yes");
  });
});

describe("the process that evaluates", () => {
  it("sees each added step, and a history that was replaced", async () => {
    const steps = [step({ n: 1 })];
    const asked = { ...context(), steps };
    const said = (): Promise<string> => fillTemplate(`{{ ${NEEDS_OTHER_PROCESS} }}`, asked);
    expect(await said()).toBe("1");
    steps.push(step({ n: 2 }), step({ n: 3 }));
    expect(await said()).toBe("[1,2,3]");
    steps.splice(1, 2, step({ n: 4 }));
    expect(await said()).toBe("[1,4]");
    steps.length = 0;
    expect(await said()).toBe("");
  });

  it("keeps many threads apart", async () => {
    const threads = Array.from({ length: 100 }, (_, n) => context(step({ n })));
    for (let round = 0; round < 2; round += 1) {
      const said = threads.map((asked) => fillTemplate(`{{ ${NEEDS_OTHER_PROCESS} }}`, asked));
      expect(await Promise.all(said)).toEqual(threads.map((_, n) => String(n)));
    }
  });

  it("takes a long history in parts, and is replaced by one with enough room for it", {
    timeout: PATIENCE_MS,
  }, async () => {
    const asked = context(
      ...Array.from({ length: 40 }, (_, n) => step({ n, text: "x".repeat(300_000) })),
    );
    const answer = await fillTemplate("{{ $sum($map(steps, function($s) { $s.meta.n })) }}", asked);
    expect(answer).toBe("780");
  });

  it("neither keeps a program alive nor outlives one that is killed", {
    timeout: PATIENCE_MS,
  }, async () => {
    const program = `
      import { pickRoute } from ${JSON.stringify(new URL("../dist/moderator.js", import.meta.url).href)};
      import { readFileSync } from "node:fs";
      const steps = ${JSON.stringify([step({ n: 1 })])};
      const ask = (when) => pickRoute([{ from: "coder", to: "yes", when }], { threadId: "T", depth: 0, start: {}, steps });
      console.log((await ask("$map([1], function($x) { $x })[0] = 1")).to);
      const children = readFileSync("/proc/self/task/" + process.pid + "/children", "utf8").trim();
      console.log(children);
      if (process.argv[1] === "busy") {
        void ask("$count($distinct([1..1000000])) > 0");
        setTimeout(() => process.kill(process.pid, "SIGKILL"), 200);
      }`;
    for (const how of ["idle", "busy"]) {
      const run = promisify(execFile)(process.execPath, [
        "--input-type=module",
        "-e",
        program,
        how,
      ]);
      const { stdout } = await run.catch((thrown: { stdout: string }) => thrown);
      const [to, children = ""] = stdout.split("\n");
      expect(to).toBe("yes");
      const pids = children.split(" ").map(Number);
      expect(pids).toHaveLength(1);
      await expect.poll(() => pids.filter(isAlive), { timeout: PATIENCE_MS }).toEqual([]);
    }
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("an expression that is evaluated on the calling thread", () => {
  const meta = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 3 }));
  const path = fc.constantFrom(
    "last.meta.a",
    "last.meta.b.c",
    "steps.meta.a",
    "byRole.coder.metas[a].b",
    "byRole.coder.tally.a",
    "steps[meta.a = $$.last.meta.a].meta",
    "missing",
    "last.meta.a[0]",
  );
  const operand = fc.oneof(path, fc.constantFrom("1", "'x'", "true", "null", "[1, 'x']", "-1"));
  const operator = fc.constantFrom("=", "!=", "<", ">=", "and", "or", "in", "+", "&", "%");
  const wrapped = fc.constantFrom(
    "X",
    "$count(X)",
    "$exists(X)",
    "$not(X)",
    "$boolean(X)",
    "$sum(X)",
    "$join(X, ',')",
    "X ? 1 : 'no'",
    "(X)",
  );
  const expression = fc
    .tuple(operand, operator, operand, wrapped)
    .map(([left, between, right, around]) =>
      around.replace("X", () => `${left} ${between} ${right}`),
    );

  it("has the same result as in a separate process", { timeout: PATIENCE_MS }, async () => {
    const property = fc.asyncProperty(
      fc.array(meta, { minLength: 1, maxLength: 4 }),
      expression,
      async (metas, text) => {
        const asked = context(...metas.map(step));
        const parsed = parseExpression(text, "here");
        if (!parsed.ok) throw new Error(parsed.error.message);
        expect(parsed.value.isBounded).toBe(true);
        for (const wanted of ["truth", "text"] as const) {
          const here = await parsed.value
            .evaluate(visible(asked))
            .then((value) => answerIn(wanted, value, "here"))
            .catch((thrown: { code?: string }) => `failed: ${thrown.code}`);
          const question = {
            context: asked,
            names: {},
            expression: parsed.value,
            wanted,
            limitMs: 60_000,
          };
          const apart = await evaluateApart(question).then(
            ({ answer }) => answer,
            () => null,
          );
          if (!here.startsWith("failed: ")) expect(apart).toBe(here);
          else if (here !== "failed: undefined" && here !== "failed: D1012")
            expect(apart).toBeNull();
        }
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  it.each([
    ["last.meta.status = 'approved'", true],
    [
      "$count(byRole.p.last.meta.phases[$not($exists($lookup($$.byRole.coder.tally.done, hash)))]) = 0",
      true,
    ],
    ['$join(last.meta.findings.("- " & place), "\\n")', true],
    ["[1..10]", false],
    ["steps.*", false],
    ["steps.**", false],
    ["steps{role: $count($)}", false],
    ["steps^(role)", false],
    ["steps#$i[$i > 1]", false],
    ["steps@$s.role", false],
    ["steps.meta.{ 'a': a }", false],
    ["$map(steps, function($s) { $s })", false],
    ["$contains(last.meta.a, /a/)", false],
    ["$string(steps)", false],
    ["$pad('x', 3)", false],
    ["( $x := steps; $x )", false],
    ["steps ~> $count", false],
  ])("does nothing there that its limit cannot see: %s", (text, isBounded) => {
    const parsed = parseExpression(text);
    expect(parsed.ok && parsed.value.isBounded).toBe(isBounded);
  });

  it("is handed over when it takes too long, or would write out something large", {
    timeout: PATIENCE_MS,
  }, async () => {
    const many = context(step({ list: Array.from({ length: 4_000 }, (_, n) => ({ n })) }));
    expect(await failureOf("$count(last.meta.list[n in $$.last.meta.list[0].n]) = 1", many)).toBe(
      "it led to yes",
    );
    const large = context(step({ text: "x".repeat(3_000_000) }));
    expect((await fillTemplate("{{ last.meta }}", large)).length).toBe(3_000_011);
    expect((await fillTemplate("{{ '' & last.meta }}", large)).length).toBe(3_000_011);
  });
});

describe("untrusted text that is parsed", () => {
  it.each([
    ["a long chain", Array.from({ length: 2_500 }, () => "a").join(" and ")],
    ["parentheses", `${"(".repeat(8_000)}1${")".repeat(8_000)}`],
    ["conditions", `${"a ? ".repeat(3_000)}1${" : 0".repeat(1_000)}`],
    ["defaults", Array.from({ length: 3_000 }, () => "a").join(" ?: ")],
    ["blocks of defaults", `${"(".repeat(1_100)}a${" ?: b)".repeat(1_100)}`],
  ])("is refused when it is nested too deep: %s", (_what, when) => {
    expect(parseExpression(when)).toMatchObject({ ok: false, error: { code: "RULE_INVALID" } });
  });

  it.each(["?:", "??"])("is refused when its parser would keep doubling it: %s", (mark) => {
    const nested = (levels: number): string =>
      Array.from({ length: levels }).reduce<string>((inner) => `(${inner} ${mark} b)`, "steps.**");
    expect(checkRule(nested(60))?.message).toContain("too many ?: and ??");
    expect(checkRule(`$exists(${nested(60)})`)?.message).toContain("too many ?: and ??");
    expect(checkRule(nested(4))).toBeNull();
    const chain = Array.from({ length: 200 }, (_, at) => `last.meta.a${at}`).join(` ${mark} `);
    expect(checkRule(chain)).toBeNull();
  });

  it("may be nested as deep as the evaluator allows", async () => {
    const when = Array.from({ length: 900 }, () => "true").join(" and ");
    expect(await failureOf(when)).toBe("it led to yes");
  });

  it("takes time linear in its length, whatever its placeholders look like", () => {
    expect(checkTemplate(`{{ 'x${"}}".repeat(500_000)}`)?.code).toBe("RULE_INVALID");
    expect(checkTemplate(`{{ ${'{"a":'.repeat(3_000)}${"}".repeat(12_000)}`)?.code).toBe(
      "RULE_INVALID",
    );
    expect(LIMITS.placeholderChars).toBeGreaterThan(LIMITS.expressionChars);
  });
});

it("ends a thread whose rules do not match, wherever they are evaluated", async () => {
  const { to } = await pickRoute(
    rule("$map(steps, function($s) { $s.meta.n })[0] = 2"),
    context(step({ n: 1 })),
  );
  expect(to).toBe(END);
});
