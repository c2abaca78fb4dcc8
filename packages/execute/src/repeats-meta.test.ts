import { expect, it } from "vitest";
import { repeatsMeta } from "./repeats-meta.ts";

const meta = { status: "good", files: ["a", "b"] };

it("knows the meta in whatever order its fields stand", () => {
  expect(repeatsMeta('{"status":"good","files":["a","b"]}', meta)).toBe(true);
  expect(repeatsMeta('\n{ "files": ["a", "b"], "status": "good" }\n', meta)).toBe(true);
});

it("takes anything more, less or else for something that was said", () => {
  for (const said of ['{"status":"good"}', '{"status":"good","files":["b","a"]}', "{", "good", ""])
    expect(repeatsMeta(said, meta)).toBe(false);
  expect(repeatsMeta("{}", {})).toBe(true);
});
