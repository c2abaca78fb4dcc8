import { describe, expect, it } from "vitest";
import { fakeIo } from "../command/io.test.helper.ts";
import { serve } from "./serve.ts";

describe("serve", () => {
  it("tells a person at a terminal how to start it", async () => {
    const io = fakeIo({ stdin: { kind: "terminal", chunks: () => new ReadableStream() } });
    expect(await serve(io)).toMatchObject({
      ok: false,
      error: { code: "USAGE", hint: expect.stringContaining("claude mcp add") },
    });
    expect(io.out()).toBe("");
  });
});
