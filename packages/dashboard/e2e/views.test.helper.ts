/** Every view of the page, and a world in which each has something to show. */
import { addThread, makeWorld, NOW, playedSteps, type World } from "./world.test.helper.ts";

export function worldToSee(): World {
  const world = makeWorld();
  const form = {
    type: "object",
    required: ["decision"],
    properties: {
      decision: { enum: ["approved", "changes"], description: "May it be kept?" },
      comment: {
        anyOf: [{ type: "string" }, { type: "null" }],
        description: "What the coder should know",
      },
    },
  };
  const wait = {
    kind: "person" as const,
    role: "approver",
    message: "The tests pass. May this be kept?\n\n2 files changed, 6 insertions(+), 1 deletion(-)",
    form,
    route: null,
    since: NOW - 600_000,
    deadline: NOW + 86_400_000,
    assignees: ["release-team"],
  };
  addThread(world, "01M83J8HKCR3CNK078Q2WAITED", {
    title: "slugify() leaves double hyphens: make `npm test` pass",
    status: "suspended",
    suspended: wait,
    waits: [wait],
    steps: playedSteps(),
    labels: { team: "web" },
  });
  world.inbox.push("01M83J8HKCR3CNK078Q2WAITED");
  const tool = {
    ...wait,
    role: "coder",
    message: "Bash: rm -rf build && npm run build -- --verbose --output /home/me/project/build",
    form: {
      type: "object",
      required: ["allow"],
      properties: { allow: { type: "boolean" }, reason: { type: "string" } },
    },
    assignees: [],
    permission: true as const,
  };
  addThread(world, "01M83J8HKCR3CNK078Q2ASKING", {
    title: "Build it anew",
    status: "running",
    waits: [tool],
    steps: playedSteps().slice(0, 2),
  });
  world.inbox.push("01M83J8HKCR3CNK078Q2ASKING");
  addThread(world, "01M83J8HKCR3CNK078Q2FAILED", {
    title: "Mend the parser",
    status: "failed",
    steps: playedSteps().slice(0, 3),
    result: { returnCode: 1, summary: "AGENT_FAILED: claude ended with code 1", rootHash: "R" },
  });
  addThread(world, "01M83J8HKCR3CNK078Q2PLAYED", {
    title: "Document the release",
    steps: playedSteps(),
    result: {
      returnCode: 0,
      summary: "7 steps: planner → coder → reviews → tester.",
      rootHash: "R",
    },
  });
  const statuses = ["running", "failed", "paused", "queued", "idle", "aborted"] as const;
  for (let n = 0; n < 40; n += 1) {
    addThread(world, `01M83J8HKCR3CNK078Q200${String(n).padStart(4, "0")}`, {
      title: `Mend the flaky test number ${n} in the parser and say why it was flaky`,
      status: statuses[n % statuses.length] ?? "idle",
      steps: n % 6 === 0 ? playedSteps() : [],
    });
  }
  return world;
}

const PLAYED = "/c/laptop/t/01M83J8HKCR3CNK078Q2PLAYED";
const WAITED = "/c/laptop/t/01M83J8HKCR3CNK078Q2WAITED";

/** Every view, and what shows that it is there. */
export const VIEWS: readonly { name: string; path: string; shows: string | string[] }[] = [
  { name: "home", path: "/", shows: "Waits for a person" },
  { name: "inbox", path: "/c/laptop/inbox", shows: ["May it be kept?", "asks to use a tool"] },
  { name: "threads", path: "/c/laptop/threads", shows: "Document the release" },
  { name: "thread", path: PLAYED, shows: "7 steps: planner" },
  { name: "step", path: `${PLAYED}?step=1`, shows: "Put one hyphen between words" },
  { name: "meta", path: `${PLAYED}?step=1&tab=meta`, shows: "8CR6Y2JQKZSZE" },
  { name: "evidence", path: `${PLAYED}?step=3&tab=evidence`, shows: "npm test exited with 1" },
  { name: "files", path: `${PLAYED}?step=3&tab=files`, shows: "src/slugify.test.js" },
  { name: "route", path: `${PLAYED}?step=6&tab=route`, shows: "What the rule told the role" },
  { name: "cost", path: `${PLAYED}?step=3&tab=cost`, shows: "a-model" },
  { name: "raw", path: `${PLAYED}?step=3&tab=raw`, shows: "Copy state hash" },
  { name: "time-line", path: `${PLAYED}?step=5&view=time`, shows: "Time line" },
  { name: "failed", path: "/c/laptop/t/01M83J8HKCR3CNK078Q2FAILED", shows: "It ended with code 1" },
  { name: "permission", path: "/c/laptop/t/01M83J8HKCR3CNK078Q2ASKING", shows: "Refuse" },
  { name: "waiting", path: WAITED, shows: "approver waits for you" },
  { name: "compare", path: `${PLAYED}/diff/01M83J8HKCR3CNK078Q2WAITED`, shows: "1 shared step" },
  {
    name: "race",
    path: "/c/laptop/race?ids=01M83J8HKCR3CNK078Q2PLAYED,01M83J8HKCR3CNK078Q2WAITED",
    shows: "2 threads side by side",
  },
  { name: "workflows", path: "/c/laptop/w", shows: "triage" },
  { name: "workflow", path: "/c/laptop/w/develop", shows: "asks a person before it is kept" },
  { name: "roles", path: "/c/laptop/w/develop?part=roles&role=approver", shows: "release-team" },
  {
    name: "rules",
    path: "/c/laptop/w/develop?part=rules",
    shows: ["After planner", "Side by side: joins when all are done; 4 at once."],
  },
  { name: "versions", path: "/c/laptop/w/develop?part=versions", shows: "As it was before" },
  { name: "run", path: "/c/laptop/run?wf=develop&prompt=Mend+it", shows: "planner: claude" },
  { name: "tasks", path: "/c/laptop/tasks", shows: "slug-fix" },
  { name: "queue", path: "/c/laptop/queue", shows: ["agent claude", "rack-1-zz04qd"] },
  { name: "schedules", path: "/c/laptop/schedules", shows: "nightly" },
  { name: "costs", path: "/c/laptop/costs", shows: "100,000" },
  { name: "access", path: "/access", shows: "this one" },
];
