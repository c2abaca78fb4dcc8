import type { JsonObject } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { jsonLines } from "./json-lines.ts";

function read(lines: readonly string[]): {
  objects: JsonObject[];
  noise: ReturnType<ReturnType<typeof jsonLines>["noise"]>;
} {
  const objects: JsonObject[] = [];
  const { line, noise } = jsonLines((object) => {
    objects.push(object);
  });
  for (const text of lines) void line({ stream: "stdout", text, omittedChars: 0 });
  return { objects, noise: noise() };
}

describe("jsonLines", () => {
  it("returns the objects, whatever the order of their keys", () => {
    const { objects, noise } = read(['{"a":1,"type":"x"}', ' {"type":"y"} ', ""]);
    expect(objects).toEqual([{ a: 1, type: "x" }, { type: "y" }]);
    expect(noise).toEqual({ count: 0, latest: [] });
  });

  it("counts lines that are not objects, and keeps the latest ones, shortened", () => {
    const cut = '{"type":"x"';
    const { objects, noise } = read(["Welcome!", "[1]", "7", cut, "y".repeat(5_000)]);
    expect(objects).toEqual([]);
    expect(noise.count).toBe(5);
    expect(noise.latest).toEqual(["Welcome!", "[1]", "7", cut, "y".repeat(500)]);
    expect(read(Array.from({ length: 1_000 }, String)).noise.latest).toHaveLength(10);
  });

  it("does not trust an object whose line was cut, and ignores stderr", () => {
    const objects: JsonObject[] = [];
    const { line, noise } = jsonLines((object) => {
      objects.push(object);
    });
    void line({ stream: "stdout", text: '{"a":1}', omittedChars: 5 });
    void line({ stream: "stderr", text: '{"a":1}', omittedChars: 0 });
    expect(objects).toEqual([]);
    expect(noise().count).toBe(1);
  });
});
