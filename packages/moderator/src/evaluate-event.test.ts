import { expect, test } from "vitest";
import { eventPasses, fillFromEvent } from "./evaluate-event.ts";

const EVENT = {
  event: "issues",
  payload: { action: "opened", issue: { title: "It leaks {{ event }}", labels: ["bug", "p1"] } },
};

test.each([
  ["event = 'issues' and payload.action = 'opened'", true],
  ["'bug' in payload.issue.labels", true],
  ["payload.action = 'closed'", false],
  ["payload.missing", false],
  ["$count(payload.issue.labels[$ = 'p1']) = 1", true],
])("the filter %s is %s", async (filter, passes) => {
  expect(await eventPasses(filter, EVENT)).toEqual({ ok: true, value: passes });
});

test("a prompt is filled in, and what was filled in is text", async () => {
  const template = "{{ payload.action }}: {{ payload.issue.title }} {{ payload.issue.labels }}";
  expect(await fillFromEvent(template, EVENT)).toEqual({
    ok: true,
    value: 'opened: It leaks {{ event }} ["bug","p1"]',
  });
});

test.each(["$number(event)", "(", "$now()", "($f := function($x) { $f($x) & $f($x) }; $f(1))"])(
  "the filter %s fails, and nothing hangs",
  async (filter) => {
    expect(await eventPasses(filter, EVENT)).toMatchObject({
      ok: false,
      error: { code: "TRIGGER_FAILED" },
    });
  },
);

test("a prompt that fails says where", async () => {
  const filled = await fillFromEvent("Go {{ $number(event) }}", EVENT);
  expect(filled).toMatchObject({ ok: false, error: { code: "TRIGGER_FAILED" } });
  if (!filled.ok) expect(filled.error.message).toContain("$number(event)");
});
