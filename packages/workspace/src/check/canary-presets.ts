import type { CanaryPreset } from "@uncaged/workflow-protocol";
import { pathspec } from "./protected-files.ts";

/** How a test that must fail is written for a test runner.
 *
 *  It goes into a file of tests, so that it shares the process with the code under test: code that ends the process, or
 *  that makes assertions mean nothing, shows because the canary does not run to its end, or finds an assertion that
 *  does not fail. At its end it leaves a mark, whose name nobody knows beforehand. */
export type Canary = {
  /** Where tests may be. */
  pathspecs: readonly string[];
  /** What a file of tests contains. */
  isTest: RegExp;
  /** `alone`: the runner takes up a file of tests that has nothing but the canary, so that this tells which files it
   *  takes up. `added`: only with the rest of the file, so that the base has to tell. */
  reference: "alone" | "added";
  write(test: TestFile, how: CanaryHow): TestFile;
};

type TestFile = { path: string; text: string };

export type CanaryHow = {
  /** File that the canary makes at its end. */
  mark: string;
  /** A word for names. */
  name: string;
  /** Whether it then fails. */
  fails: boolean;
  /** Nothing else of the file stays. */
  alone: boolean;
};

const FAILS = "canary: this test must fail";

const SCRIPTS = ["js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx"];
const SCRIPT_TESTS = ["*.test", "*.spec", "*_test", "*-test", "test", "test-*"]
  .map((name) => `**/${name}`)
  .concat(["test/**/*", "tests/**/*", "spec/**/*", "**/__tests__/**/*"])
  .flatMap((name) => SCRIPTS.map((extension) => pathspec(`${name}.${extension}`)));

const ASSERT_CLAIMS = `[() => a(false), () => a.ok(0), () => a.equal(1, 2), () => a.notEqual(1, 1), () => a.strictEqual(1, 2), () => a.notStrictEqual(1, 1), () => a.deepEqual({ a: 1 }, { a: 2 }), () => a.deepStrictEqual({ a: 1 }, { a: 2 }), () => a.notDeepStrictEqual([1], [1]), () => a.match("a", /b/), () => a.throws(() => {}), () => a.fail(), () => a.strict.equal(1, 2), () => a.strict.ok(false)]`;
const EXPECT_CLAIMS = `[() => e(1).toBe(2), () => e(1).not.toBe(1), () => e({ a: 1 }).toEqual({ a: 2 }), () => e({ a: 1 }).toStrictEqual({ a: 2 }), () => e({ a: 1 }).toMatchObject({ a: 2 }), () => e(0).toBeTruthy(), () => e(1).toBeFalsy(), () => e(1).toBeNull(), () => e(1).toBeUndefined(), () => e(undefined).toBeDefined(), () => e([1]).toContain(2), () => e("a").toMatch(/b/), () => e([1]).toHaveLength(2), () => e(1).toBeGreaterThan(2), () => e(() => {}).toThrow()]`;

/** A script whose canary gets `test` and, for claims, `a` (assert) or `e` (expect). */
function script(begin: (name: string) => string, claims: string): Canary {
  return {
    pathspecs: SCRIPT_TESTS,
    isTest: /\b(?:test|it|describe|suite)\s*(?:\.\s*\w+\s*)*[(`]/,
    reference: "alone",
    write({ path, text }, { mark, name, fails, alone }) {
      const canary = `
;/* eslint-disable */ ${begin(name)} t("${name}", () => {
  const fs = process.getBuiltinModule("node:fs");
  for (const claim of ${claims}) {
    let held = true;
    try { claim(); } catch { held = false; }
    if (held) return;
  }
  fs.writeFileSync(${JSON.stringify(mark)}, "");
  ${fails ? `throw new Error(${JSON.stringify(FAILS)});` : ""}
}); }
`;
      return { path, text: alone ? canary : text + canary };
    },
  };
}

const nodeAssert = `const a = process.getBuiltinModule("node:assert");`;

const nodeTest = script(
  () => `{ const { test: t } = process.getBuiltinModule("node:test"); ${nodeAssert}`,
  ASSERT_CLAIMS,
);

const mocha = script(
  () => `{ const t = globalThis.it ?? globalThis.test; ${nodeAssert}`,
  ASSERT_CLAIMS,
);

const jest = script(
  () => `{ const t = globalThis.test; const e = globalThis.expect;`,
  EXPECT_CLAIMS,
);

const VITEST = JSON.stringify("vitest");
const vitest = script(
  (name) =>
    `import { test as t_${name}, expect as e_${name} } from ${VITEST}; { const t = t_${name}; const e = e_${name};`,
  EXPECT_CLAIMS,
);

const pytest: Canary = {
  pathspecs: ["test_*.py", "*_test.py", "tests.py"].map((name) => pathspec(`**/${name}`)),
  isTest: /^\s*(?:async\s+)?def test|^class Test/m,
  reference: "alone",
  write({ path, text }, { mark, name, fails, alone }) {
    const canary = `

def test_${name}():
    import unittest
    case = unittest.TestCase()
    claims = [
        lambda: case.assertEqual(1, 2), lambda: case.assertNotEqual(1, 1), lambda: case.assertTrue(False),
        lambda: case.assertFalse(True), lambda: case.assertIsNone(1), lambda: case.assertIn(1, []),
        lambda: case.fail(),
    ]
    for claim in claims:
        try:
            claim()
        except AssertionError:
            continue
        return
    open(${JSON.stringify(mark)}, "w").close()
    ${fails ? `assert 1 == 2, ${JSON.stringify(FAILS)}` : "return"}
`;
    return { path, text: alone ? canary : text + canary };
  },
};

/** The assertions that Go itself does not have. A module that a project keeps or replaces is one of its sources. */
const TESTIFY = "github.com/stretchr/testify";
const TESTIFY_CLAIMS = [
  ...["Equal(t, 1, 2)", "NotEqual(t, 1, 1)", "True(t, false)", "False(t, true)", "Nil(t, 1)"],
  ...["NotNil(t, nil)", "NoError(t, os.ErrExist)", "Error(t, nil)", 'Contains(t, "a", "b")'],
  ...["Len(t, []int{1}, 2)", "Empty(t, 1)"],
];

const goClaims = (module: string, type: string): string =>
  TESTIFY_CLAIMS.map((claim) => `\t\tfunc(t ${type}) { ${module}.${claim} },`).join("\n");

const goTest: Canary = {
  pathspecs: [pathspec("**/*_test.go")],
  isTest: /^func Test/m,
  reference: "added",
  write({ path, text }, { mark, name, fails }) {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const clause = /^package\s+\w+/m.exec(text)?.[0] ?? "package main";
    const end = fails ? `t.Fatal(${JSON.stringify(FAILS)})` : "";
    const testify = ["assert", "require"].filter((used) => text.includes(`"${TESTIFY}/${used}"`));
    return {
      path: `${folder}zz_${name}_test.go`,
      text: `${clause}

import (
	"os"
	"testing"
${testify.map((used) => `\t${used}_${name} "${TESTIFY}/${used}"\n`).join("")})

type t_${name} struct{ failed bool }

func (t *t_${name}) Errorf(string, ...interface{}) { t.failed = true }
func (t *t_${name}) FailNow()                      { t.failed = true }

func Test_${name}(t *testing.T) {
	for _, claim := range []func(*testing.T){
		func(t *testing.T) { t.Fail() }, func(t *testing.T) { t.FailNow() },
	} {
		own, done := new(testing.T), make(chan struct{})
		go func() {
			defer close(done)
			claim(own)
		}()
		<-done
		if !own.Failed() {
			return
		}
	}
	for _, claim := range []func(*t_${name}){
${testify.map((used) => `${goClaims(`${used}_${name}`, `*t_${name}`)}\n`).join("")}	} {
		own := new(t_${name})
		claim(own)
		if !own.failed {
			return
		}
	}
	os.WriteFile(${JSON.stringify(mark)}, nil, 0o600)
	${end}
}
`,
    };
  },
};

const cargoTest: Canary = {
  pathspecs: [pathspec("**/*.rs")],
  isTest: /#\[(?:test|cfg\(test\))\]/,
  reference: "added",
  write: ({ path, text }, { mark, name, fails }) => ({
    path,
    text: `${text}
#[cfg(test)]
mod ${name} {
    #[test]
    fn must_fail() {
        std::fs::write(${JSON.stringify(mark)}, "").unwrap();
        ${fails ? `panic!(${JSON.stringify(FAILS)});` : ""}
    }
}
`,
  }),
};

export const CANARIES: Readonly<Record<CanaryPreset, Canary>> = {
  vitest,
  jest,
  "node:test": nodeTest,
  mocha,
  pytest,
  "go test": goTest,
  "cargo test": cargoTest,
};

/** The runner that a command line names; null: none that is known. */
export function presetOf(commandLine: string): CanaryPreset | null {
  return RUNNERS.find(([words]) => words.test(commandLine))?.[1] ?? null;
}

const RUNNERS: readonly (readonly [RegExp, CanaryPreset])[] = [
  [/\bvitest\b/, "vitest"],
  [/\bjest\b/, "jest"],
  [/\bmocha\b/, "mocha"],
  [/\bnode\b[^&|;]*\s--test\b/, "node:test"],
  [/\b(?:pytest|py\.test)\b/, "pytest"],
  [/\bgo\s+test\b/, "go test"],
  [/\bcargo\s+(?:\S+\s+)?(?:test|t)\b/, "cargo test"],
];
