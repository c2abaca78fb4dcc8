/** Follows docs/first-workflow.md to the letter, with only npm and an empty home: commands are typed, and files that
 *  are shown in full are saved. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Newcomer, openNewcomer } from "./newcomer.test.helper.ts";

const PAGE = readFileSync(new URL("../../../docs/first-workflow.md", import.meta.url), "utf8");

let newcomer: Newcomer;
beforeAll(async () => {
  newcomer = await openNewcomer({ ours: "linked" });
}, 300_000);
afterAll(() => newcomer.close());

/** What a block of the page asks a reader to do, as a shell command. */
function deed(kind: string, text: string, at: number): string {
  if (kind === "sh") return text;
  const file = join(newcomer.folder, `shown-${at}`);
  writeFileSync(file, text);
  return `cp ${file} ${kind === "yaml" ? "flow.yaml" : "answers.json"}\n`;
}

it("takes a person without code to a finished thread of a workflow that they changed", async () => {
  const blocks = [...PAGE.matchAll(/^```(sh|yaml|json)\n([\s\S]*?)^```$/gm)];
  expect(blocks.length).toBeGreaterThan(9);
  // The test of the README runs this one.
  const [[, , link] = []] = blocks.splice(0, 1);
  expect(link).toBe("npm run link\n");
  const deeds = blocks.map(([, kind = "", text = ""], at) => deed(kind, text, at));
  const printed = await newcomer.succeeds(deeds.join(""));
  const drawing = /^```text\n(┌[\s\S]*?)^```$/m.exec(PAGE)?.[1] ?? "no drawing";
  expect(printed).toContain(drawing);
  expect(printed).toMatch(/4 steps: writer → reviewer → writer → reviewer; ended by good/);
  expect(printed).toContain("writer asks: Whom shall I greet?");
  expect(printed).toContain("Bonjour Ada");
  expect(printed).toMatch(/ok: \d+ nodes checked, no problem found\n$/);
}, 300_000);
