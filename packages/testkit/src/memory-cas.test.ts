import { isHash } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { memoryCas } from "./index.ts";

it("the store in memory keeps what it is given, under hash-shaped names", async () => {
  const cas = memoryCas();
  const hash = await cas.put('say "hi"\n');
  expect(isHash(hash)).toBe(true);
  expect(await cas.put('say "hi"\n')).toBe(hash);
  expect(await cas.get(hash)).toBe('type: "content"\npayload: "say \\"hi\\"\\n"\nrefs: []\n');
  expect(await cas.list()).toEqual([hash]);
  await cas.delete(hash);
  expect(await cas.get(hash)).toBeNull();
});
