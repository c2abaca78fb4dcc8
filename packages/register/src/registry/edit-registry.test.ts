import { readFileSync } from "node:fs";
import { type BundleVersion, err, ok, type Result } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { registerVersion, removeEntry, rollbackVersion, setStoreKind } from "./edit-registry.ts";
import { parseRegistry } from "./parse-registry.ts";
import type { RegistryFile } from "./registry.ts";

const sha = (digit: string): string => digit.repeat(64);
const version = (digit: string, timestamp: number): BundleVersion => ({
  hash: `${digit}123456789ABC`,
  sha256: sha(digit),
  timestamp,
});

function fileOf(text: string): RegistryFile {
  return must(parseRegistry(text, "workflow.yaml"));
}

function must<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

const golden = (name: string): string =>
  readFileSync(new URL(`./golden/${name}`, import.meta.url), "utf8");

describe("choosing where blobs go", () => {
  it("writes it into the configuration, and leaves the rest alone", () => {
    expect(setStoreKind(fileOf(""), "packed").file.text).toBe("config:\n  store: packed\n");
    const before = "# mine\nconfig:\n  maxDepth: 5 # yours\nother: 1\n";
    expect(setStoreKind(fileOf(before), "packed").file.text).toBe(
      "# mine\nconfig:\n  maxDepth: 5 # yours\n  store: packed\nother: 1\n",
    );
  });

  it("as they already are returns the very same file", () => {
    for (const kind of ["files", "packed"] as const) {
      const { file } = setStoreKind(fileOf("config: { maxDepth: 2 }"), kind);
      expect(file.registry.settings.store).toBe(kind);
      expect(setStoreKind(file, kind).file).toBe(file);
    }
  });
});

describe("registering a version", () => {
  it("writes exactly the pinned file, from nothing", () => {
    const first = registerVersion(fileOf(""), {
      name: "solve-issue",
      version: version("1", 1716000000000),
    });
    expect(first.value).toEqual({ previous: null });
    const second = registerVersion(first.file, {
      name: "solve-issue",
      version: version("2", 1716000000001),
    });
    expect(second.value).toEqual({ previous: version("1", 0).hash });
    const third = registerVersion(second.file, {
      name: "develop",
      version: version("3", 1716000000002),
    });
    expect(third.file.text).toBe(golden("from-nothing.yaml"));
  });

  it("keeps what a person wrote: comments, unknown keys, long texts, their order", () => {
    const before = fileOf(golden("by-hand.yaml"));
    const added = registerVersion(before, {
      name: "solve-issue",
      version: version("2", 1716000000001),
    });
    expect(
      registerVersion(added.file, { name: "new", version: version("3", 1716000000002) }).file.text,
    ).toBe(golden("by-hand-after.yaml"));
  });

  it("that is already on top returns the very same file", () => {
    const { file } = registerVersion(fileOf(""), { name: "flow", version: version("1", 1) });
    const again = registerVersion(file, { name: "flow", version: version("1", 2) });
    expect(again.file).toBe(file);
    expect(again.value.previous).toBe(version("1", 0).hash);
  });

  it("that was registered before puts it on top again and forgets nothing", () => {
    let file = fileOf("");
    for (const [index, digit] of ["1", "2", "1"].entries()) {
      file = registerVersion(file, { name: "flow", version: version(digit, index) }).file;
    }
    const entry = file.registry.workflows.get("flow");
    expect(
      [entry, ...(entry?.history ?? [])].map((item) => `${item?.hash[0]}@${item?.timestamp}`),
    ).toEqual(["1@2", "2@1", "1@0"]);
  });

  it.each([
    ["a mapping in braces", "workflows: {}\n"],
    ["a key without a value", "workflows:\n"],
    ["only comments", "# mine\n"],
    [
      "an entry in braces",
      `workflows: { old: { hash: "0123456789ABC", sha256: "${sha("0")}", timestamp: 0, history: [] } }\n`,
    ],
  ])("works on a file with %s", (_, text) => {
    const { file } = registerVersion(fileOf(text), { name: "flow", version: version("1", 1) });
    expect(file.registry.workflows.get("flow")).toEqual({ ...version("1", 1), history: [] });
    for (const comment of text.match(/#.*/g) ?? []) expect(file.text).toContain(comment);
  });

  it("always quotes hashes: some look like numbers", () => {
    const odd: BundleVersion = { hash: "12345E6789012", sha256: "1".repeat(64), timestamp: 1 };
    const { file } = registerVersion(fileOf(""), { name: "flow", version: odd });
    expect(parse(file.text).workflows.flow.hash).toBe("12345E6789012");
    expect(file.text).toContain('hash: "12345E6789012"');
    expect(file.text).toContain(`sha256: "${"1".repeat(64)}"`);
  });
});

describe("rolling back", () => {
  const three = ["1", "2", "3"].reduce(
    (file, digit, index) =>
      registerVersion(file, { name: "flow", version: version(digit, index) }).file,
    fileOf(""),
  );
  const order = (file: RegistryFile): string => {
    const entry = file.registry.workflows.get("flow");
    return [entry, ...(entry?.history ?? [])].map((item) => item?.hash[0]).join("");
  };

  it("without a hash restores the newest of the history; doing it twice undoes it", () => {
    const once = must(rollbackVersion(three, { name: "flow", hash: null }));
    expect(order(once.file)).toBe("231");
    expect(once.value).toEqual({ hash: version("2", 0).hash, previous: version("3", 0).hash });
    expect(order(must(rollbackVersion(once.file, { name: "flow", hash: null })).file)).toBe("321");
  });

  it("with a hash restores that version, and keeps the others in their order", () => {
    expect(
      order(must(rollbackVersion(three, { name: "flow", hash: version("1", 0).hash })).file),
    ).toBe("132");
  });

  it("to what is on top changes nothing", () => {
    const top = must(rollbackVersion(three, { name: "flow", hash: version("3", 0).hash }));
    expect(top.file).toBe(three);
  });

  it("moves a person's comments along with the version they are about", () => {
    const added = registerVersion(fileOf(golden("by-hand.yaml")), {
      name: "solve-issue",
      version: version("2", 1716000000001),
    });
    expect(added.file.text).toContain('- hash: "0123456789ABC" # tested by me');
    const back = must(rollbackVersion(added.file, { name: "solve-issue", hash: null }));
    expect(back.file.text).toContain('    hash: "0123456789ABC" # tested by me');
    expect(back.file.text).toContain("owner: ada");
    const remarked = fileOf(added.file.text.replace("  - hash", "  - note: slow\n        hash"));
    expect(must(rollbackVersion(remarked, { name: "solve-issue", hash: null })).file.text).toMatch(
      /^ {4}note: slow$/m,
    );
  });

  it("keeps each version's own digest and time", () => {
    const { file } = must(rollbackVersion(three, { name: "flow", hash: version("1", 0).hash }));
    expect(file.registry.workflows.get("flow")).toMatchObject(version("1", 0));
  });

  it("to an unknown version, or of an unknown name, is refused with a list of what exists", () => {
    expect(rollbackVersion(three, { name: "flow", hash: "7123456789ABC" })).toMatchObject(
      err({
        code: "WORKFLOW_NO_VERSION",
        hint: `its versions: ${version("2", 0).hash}, ${version("1", 0).hash}`,
      }),
    );
    expect(rollbackVersion(three, { name: "other", hash: null })).toMatchObject(
      err({ code: "WORKFLOW_NOT_FOUND", hint: "registered: flow" }),
    );
    const one = registerVersion(fileOf(""), { name: "flow", version: version("1", 1) }).file;
    expect(rollbackVersion(one, { name: "flow", hash: null })).toMatchObject(
      err({ code: "WORKFLOW_NO_VERSION", message: "flow has no earlier version" }),
    );
  });
});

describe("removing a name", () => {
  it("forgets it and keeps every other line", () => {
    const after = must(removeEntry(fileOf(golden("by-hand.yaml")), "solve-issue"));
    expect(after.file.registry.workflows.has("solve-issue")).toBe(false);
    expect(after.value.entry.hash).toBe("0123456789ABC");
    expect(after.file.text).toContain("# what I run at night");
    expect(after.file.text).toContain("x-team: platform");
  });

  it("that does not exist is refused", () => {
    expect(removeEntry(fileOf(""), "flow")).toMatchObject(err({ code: "WORKFLOW_NOT_FOUND" }));
  });
});

describe("any sequence of edits", () => {
  const name = fc.constantFrom("a", "constructor", "x.y-z_9", "tostring", "1e5", "null", "true");
  const hash = fc.constantFrom(..."123456789E".split("").map((digit) => version(digit, 0).hash));
  const edit = fc.oneof(
    fc.record({ kind: fc.constant("add" as const), name, hash }),
    fc.record({ kind: fc.constant("back" as const), name, hash: fc.option(hash) }),
    fc.record({ kind: fc.constant("remove" as const), name }),
  );
  type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

  /** A model of each edit in three lines, on lists of hashes. */
  function model(state: Map<string, string[]>, { kind, name, ...rest }: Edit): void {
    const versions = state.get(name) ?? [];
    const wanted = "hash" in rest ? rest.hash : null;
    if (kind === "remove") state.delete(name);
    else if (kind === "add" && wanted !== null && versions[0] !== wanted)
      state.set(name, [wanted, ...versions]);
    else if (kind === "back" && versions.length > 0) {
      const at = wanted === null ? 1 : versions.indexOf(wanted);
      const found = versions[at];
      if (found !== undefined && at > 0) state.set(name, [found, ...versions.toSpliced(at, 1)]);
    }
  }

  function apply(file: RegistryFile, step: Edit): RegistryFile {
    if (step.kind === "add") {
      const sha256 = sha(step.hash.slice(0, 1).toLowerCase());
      return registerVersion(file, {
        name: step.name,
        version: { hash: step.hash, sha256, timestamp: 1 },
      }).file;
    }
    const edited =
      step.kind === "back"
        ? rollbackVersion(file, { name: step.name, hash: step.hash })
        : removeEntry(file, step.name);
    return edited.ok ? edited.value.file : file;
  }

  it("ends in the same versions as a plain list would, and never touches the configuration", () => {
    const config = 'config:\n  maxDepth: 4 # deep enough\n  x-mine: [ "kept", 1.50, 0x10 ]\n';
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
        const expected = new Map<string, string[]>();
        let file = fileOf(config);
        for (const step of edits) {
          file = apply(file, step);
          model(expected, step);
        }
        const actual = [...file.registry.workflows].map(([key, entry]) => [
          key,
          [entry, ...entry.history].map((item) => item.hash),
        ]);
        expect(new Map(actual as [string, string[]][])).toEqual(expected);
        expect(file.text).toContain(
          '  maxDepth: 4 # deep enough\n  x-mine: [ "kept", 1.50, 0x10 ]\n',
        );
        expect(ok(file)).toEqual(parseRegistry(file.text, "workflow.yaml"));
      }),
      { numRuns: 60 },
    );
  });
});
