import { describe, expect, it } from "vitest";
import { z } from "zod";
import { endingTool } from "./ending-tool.ts";

const VERDICT = z.discriminatedUnion("status", [
  z.object({ status: z.literal("passed") }),
  z.object({ status: z.literal("failed"), why: z.string() }),
]);

function offered<T>(schema: z.ZodType<T>) {
  const parameters = JSON.parse(JSON.stringify(z.toJSONSchema(schema)));
  return endingTool({ name: "submit", description: "", parameters }, schema);
}

const submits = (value: unknown) => ({
  id: "1",
  name: "submit",
  arguments: JSON.stringify(value),
});

describe("endingTool", () => {
  it("offers an object as it is, without the dialect that some servers refuse", () => {
    const { definition } = offered(z.object({ n: z.number() }));
    expect(definition.parameters).toEqual({
      type: "object",
      properties: { n: { type: "number" } },
      required: ["n"],
      additionalProperties: false,
    });
  });

  it("offers a choice as one property of an object, because servers accept nothing else", async () => {
    const { definition, read } = offered(VERDICT);
    expect(definition.parameters).toMatchObject({
      type: "object",
      properties: { result: { oneOf: [expect.anything(), expect.anything()] } },
      required: ["result"],
    });
    expect(definition.parameters).not.toHaveProperty("oneOf");
    expect(await read(submits({ result: { status: "passed" } }))).toEqual({
      ok: true,
      value: { status: "passed" },
    });
  });

  it("accepts such a value also when the model left out the property", async () => {
    const read = await offered(VERDICT).read(submits({ status: "failed", why: "no" }));
    expect(read).toMatchObject({ ok: true, value: { why: "no" } });
  });

  it("accepts a value of a choice whose own property is called result", async () => {
    const { read } = offered(z.union([z.object({ result: z.string() }), z.object({ n: z.int() })]));
    const value = { ok: true, value: { result: "x" } };
    expect(await read(submits({ result: "x" }))).toEqual(value);
    expect(await read(submits({ result: { result: "x" } }))).toEqual(value);
  });

  it("keeps references within a schema that it moves", () => {
    type Tree = { children: Tree[] };
    const tree: z.ZodType<Tree> = z.lazy(() => z.object({ children: z.array(tree) }));
    const { definition } = offered(z.union([tree, z.object({ leaf: z.boolean() })]));
    const refs = [...JSON.stringify(definition.parameters).matchAll(/"\$ref":"([^"]*)"/g)];
    expect(refs.length).toBeGreaterThan(0);
    for (const [, ref = ""] of refs) expect(at(definition.parameters, ref)).toBeTypeOf("object");
  });

  it("says what does not match, and returns what was submitted", async () => {
    const { read } = offered(VERDICT);
    expect(await read(submits({ result: { status: "failed" } }))).toEqual({
      ok: false,
      error: { why: expect.stringContaining("why"), value: { status: "failed" } },
    });
    expect(await read({ ...submits(null), arguments: '{"result":' })).toEqual({
      ok: false,
      error: { why: expect.stringContaining("not JSON"), value: undefined },
    });
  });

  it("survives a value that is nested deeper than its schema can follow", async () => {
    type Tree = { child?: Tree | undefined };
    const tree: z.ZodType<Tree> = z.object({ child: z.lazy(() => tree).optional() });
    const deep = `${'{"child":'.repeat(100_000)}{}${"}".repeat(100_000)}`;
    const { read } = endingTool({ name: "submit", description: "", parameters: {} }, tree);
    expect(await read({ ...submits(null), arguments: deep })).toMatchObject({ ok: false });
  });

  it("waits for an asynchronous schema", async () => {
    const { read } = offered(
      z.object({ n: z.number().refine(async (n) => n > 1, "it is too small") }),
    );
    expect(await read(submits({ n: 1 }))).toMatchObject({
      error: { why: expect.stringContaining("it is too small") },
    });
    expect(await read(submits({ n: 2 }))).toEqual({ ok: true, value: { n: 2 } });
  });
});

/** What a local reference names. */
function at(schema: unknown, ref: string): unknown {
  return ref
    .slice(2)
    .split("/")
    .reduce<unknown>((value, key) => Object(value)[key], schema);
}
