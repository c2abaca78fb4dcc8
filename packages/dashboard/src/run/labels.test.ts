import { expect, test } from "vitest";
import { labelsIn } from "./labels.ts";
import { runCommand } from "./run-command.ts";

test("labels are read as people type them", () => {
  expect(labelsIn("team=web, keep = yes,")).toEqual({
    labels: [
      ["team", "web"],
      ["keep", "yes"],
    ],
    fault: undefined,
  });
  expect(labelsIn("team").fault).toMatch(/“team” has to be name=value/);
});

test("what the form would start can be typed as a command", () => {
  const body = {
    workflow: "develop",
    prompt: "it's broken",
    labels: { team: "web" },
    limits: { steps: 5, timeMs: 90_000 },
    run: { notBefore: null },
  };
  expect(runCommand(body)).toBe(
    "uwf run develop --prompt 'it'\\''s broken' --label team=web --max-steps 5 --max-time 90s --queue",
  );
});
