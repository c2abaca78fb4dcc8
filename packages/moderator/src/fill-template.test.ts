import { type ModeratorContext, START } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkTemplate, fillTemplate } from "./index.ts";

const context = (meta: Record<string, unknown>): ModeratorContext => ({
  threadId: "01KAJ2Z6PVX0000000000000ZZ",
  depth: 0,
  bundleHash: "0".repeat(13),
  start: { role: START, content: "do it", meta: {}, timestamp: 0, parentState: null },
  steps: [{ role: "coder", meta, contentHash: "0000000000000", refs: [], timestamp: 0 }],
});

const fill = (template: string, meta: Record<string, unknown> = {}): Promise<string> =>
  fillTemplate(template, context(meta));

describe("a template", () => {
  it("fills in texts, numbers and booleans as they are, lists and objects as JSON", async () => {
    const meta = { text: "a\nb", n: 1.5, ok: true, list: [1, { a: "x" }], object: { b: null } };
    expect(
      await fill(
        "{{last.meta.text}}|{{ last.meta.n }}|{{last.meta.ok}}|{{last.meta.list}}|{{last.meta.object}}",
        meta,
      ),
    ).toBe('a\nb|1.5|true|[1,{"a":"x"}]|{"b":null}');
  });

  it("fills in nothing for missing or null values", async () => {
    expect(await fill("[{{ last.meta.a }}{{ last.meta.b }}]", { b: null })).toBe("[]");
  });

  it("ends a placeholder where the expression is complete, not at the first }}", async () => {
    expect(await fill('{{ {"a": {"b": 1}} }} and {{ {"a":{"b":2}}.a.b }}')).toBe(
      '{"a":{"b":1}} and 2',
    );
    expect(await fill('{{ {"a":1}}}')).toBe('{"a":1}');
    expect(await fill('{{ "}}" }}{{ "{{" }}')).toBe("}}{{");
  });

  it("does not expand placeholders in what it filled in", async () => {
    expect(await fill("{{ last.meta.said }}", { said: "{{ 1 + 1 }}" })).toBe("{{ 1 + 1 }}");
  });

  it("without placeholders stays unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string().filter((text) => !text.includes("{{")),
        async (text) => {
          expect(await fill(text)).toBe(text);
        },
      ),
    );
  });

  it("with a broken placeholder is refused with its position", async () => {
    expect(checkTemplate("fine {{ last.role }}")).toBeNull();
    expect(checkTemplate("fix {{ $cuont(steps) }} now")?.message).toBe(
      "the placeholder at character 4: $cuont is neither a function nor bound in the expression (at character 6)",
    );
    expect(checkTemplate("fix {{ last")).toMatchObject({
      code: "RULE_INVALID",
      message: "the placeholder at character 4: it is not closed by }}",
    });
    await expect(fill("{{ 1 + }}")).rejects.toMatchObject({ failure: { code: "RULE_INVALID" } });
  });

  it("with a placeholder that fails names it", async () => {
    await expect(fill("{{ last.meta.a + 1 }}", { a: "x" })).rejects.toMatchObject({
      failure: {
        code: "MODERATOR_FAILED",
        message: expect.stringContaining(
          "the placeholder {{ last.meta.a + 1 }} failed: The left side",
        ),
      },
    });
  });
});
