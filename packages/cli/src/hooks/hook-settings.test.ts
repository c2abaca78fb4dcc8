import { describe, expect, it } from "vitest";
import { withHooks, withoutHooks } from "./hook-settings.ts";

function changed(change: typeof withHooks, text: string): string {
  const result = change(text, "settings.json");
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const OTHERS = `{
    "model": "sonnet",
    "unknown": { "b": 1, "a": [2, null] },
    "hooks": {
        "PostToolUse": [
            {
                "matcher": "Edit",
                "hooks": [
                    {
                        "type": "command",
                        "command": "prettier --write"
                    }
                ]
            }
        ],
        "Notification": []
    },
    "permissions": {
        "allow": [
            "Bash(git *)"
        ]
    }
}
`;

describe("hooks in a settings file", () => {
  it("are added to an empty file", () => {
    const hooks = JSON.parse(changed(withHooks, "")).hooks;
    expect(Object.keys(hooks)).toEqual([
      "SessionStart",
      "PreCompact",
      "PostToolUse",
      "PostToolUseFailure",
    ]);
    expect(hooks.PostToolUse).toEqual([
      {
        hooks: [
          {
            type: "command",
            command: "uncaged-workflow hooks record >/dev/null 2>&1 || true",
            timeout: 10,
          },
        ],
      },
    ]);
  });

  it("come after existing hooks, and change nothing else: neither order nor indentation", () => {
    const text = changed(withHooks, OTHERS);
    const before = JSON.parse(OTHERS);
    const after = JSON.parse(text);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(after.hooks.PostToolUse[0]).toEqual(before.hooks.PostToolUse[0]);
    expect(after.hooks.PostToolUse).toHaveLength(2);
    expect({ ...after, hooks: null }).toEqual({ ...before, hooks: null });
    expect(text).toMatch(/\n {4}"model"/);
    expect(text.endsWith("}\n")).toBe(true);
  });

  it("added twice leave exactly the same bytes as once", () => {
    const once = changed(withHooks, OTHERS);
    expect(changed(withHooks, once)).toBe(once);
  });

  it("when removed leave what was there before", () => {
    expect(JSON.parse(changed(withoutHooks, changed(withHooks, OTHERS)))).toEqual(
      JSON.parse(OTHERS),
    );
    expect(changed(withoutHooks, changed(withHooks, '{ "a": 1 }'))).toBe('{\n  "a": 1\n}');
  });

  it("are removed from a group to which somebody added more", () => {
    const more = { type: "command", command: "say done" };
    const text = JSON.parse(changed(withHooks, "{}"));
    text.hooks.PostToolUse[0].hooks.push(more);
    expect(JSON.parse(changed(withoutHooks, JSON.stringify(text)))).toEqual({
      hooks: { PostToolUse: [{ hooks: [more] }] },
    });
  });

  it("that are missing leave the text unchanged", () => {
    expect(changed(withoutHooks, OTHERS)).toBe(OTHERS);
    expect(changed(withoutHooks, "")).toBe("");
  });

  it.each([
    ["{ // a comment\n}", "not a JSON object"],
    ["[]", "not a JSON object"],
    ['{"hooks": []}', "`hooks` is not an object"],
    ['{"hooks": {"PreCompact": {}}}', "`hooks.PreCompact` is not a list"],
  ])("of %j are refused: %s", (text, why) => {
    for (const change of [withHooks, withoutHooks]) {
      expect(change(text, "settings.json")).toMatchObject({
        ok: false,
        error: { code: "CONFIG_INVALID", message: expect.stringContaining(why) },
      });
    }
  });
});
