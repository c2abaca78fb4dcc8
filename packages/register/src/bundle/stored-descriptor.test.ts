import { type JsonValue, toJsonObject, type WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { workflowDescriptorSchema } from "@uncaged/workflow-protocol/schemas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DESCRIPTOR } from "../scratch.test.helper.ts";
import { descriptorText } from "./descriptor-text.ts";
import { parseStoredDescriptor } from "./stored-descriptor.ts";

const roleName = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,8}$/);
const textOrNull = fc.option(fc.string({ unit: "binary" }));
const schema = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
  .map((value) => toJsonObject(value) ?? {});
const descriptor: fc.Arbitrary<WorkflowDescriptor> = fc.record({
  description: fc.string({ unit: "binary" }),
  roles: fc.dictionary(
    roleName,
    fc.record(
      {
        description: fc.string(),
        systemPrompt: fc.string(),
        schema,
        tools: fc.constant({ deny: [{ kind: "edit" as const }] }),
        requiredEvidence: fc.constant([{ name: "tests", kind: "execute" as const, input: "npm" }]),
        timeoutMs: fc.nat().map((ms) => ms + 1),
        retry: fc.record({ attempts: fc.nat() }),
        limits: fc.record({ steps: fc.integer({ min: 1 }) }),
      },
      { requiredKeys: ["description", "systemPrompt", "schema"] },
    ),
  ),
  graph: fc.record({
    edges: fc.array(
      fc.record(
        {
          from: fc.oneof(fc.constant("__start__"), roleName),
          to: fc.string(),
          condition: fc.string({ minLength: 1 }),
          when: textOrNull,
          prompt: textOrNull,
          location: textOrNull,
          outcomes: fc.constant(["timeout" as const, "limit" as const]),
        },
        { requiredKeys: ["from", "to", "condition", "when", "prompt", "location"] },
      ),
    ),
  }),
});

describe("a stored descriptor", () => {
  it("is parsed as it was written, by us and by the schema alike", () => {
    fc.assert(
      fc.property(descriptor, (written) => {
        const text = descriptorText(written);
        const read = parseStoredDescriptor(text);
        expect(read).toEqual(JSON.parse(text));
        expect(read).toEqual(workflowDescriptorSchema.parse(JSON.parse(text)));
      }),
    );
  });

  it("that lost or gained a value anywhere is refused, unless the schema accepts it too", () => {
    const places = fc.constantFrom<string[]>(
      ["description"],
      ["roles"],
      ["roles", "greeter"],
      ["roles", "greeter", "schema"],
      ["roles", "greeter", "systemPrompt"],
      ["graph"],
      ["graph", "edges"],
      ["graph", "edges", "0"],
      ["graph", "edges", "0", "when"],
      ["graph", "edges", "1", "to"],
    );
    fc.assert(
      fc.property(places, fc.jsonValue(), (place, value) => {
        const damaged = replaced(JSON.parse(descriptorText(DESCRIPTOR)), place, value as JsonValue);
        const read = parseStoredDescriptor(JSON.stringify(damaged));
        const checked = workflowDescriptorSchema.safeParse(damaged);
        if (checked.success) expect(read).toEqual(checked.data);
        // Names were checked when it was stored; only the shape must hold here.
        else if (read !== null)
          expect(Object.keys(read)).toEqual(["description", "roles", "graph"]);
      }),
    );
  });

  it.each([
    "",
    "null",
    "[]",
    "{}",
    '{"description":"x"}',
    "not JSON",
    '{"description":1,"roles":{},"graph":{"edges":[]}}',
  ])("%j is refused", (text) => {
    expect(parseStoredDescriptor(text)).toBeNull();
  });
});

function replaced(value: JsonValue, [key, ...rest]: string[], by: JsonValue): JsonValue {
  if (key === undefined) return by;
  const copy = structuredClone(value);
  const inside: JsonValue = Reflect.get(Object(copy), key);
  Reflect.set(Object(copy), key, replaced(inside, rest, by));
  return copy;
}
