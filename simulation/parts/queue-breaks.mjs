/** Ways to break the merge queue, to see whether its simulation notices. */
const LAND = "/packages/tasks/dist/queue/land-tasks.js";
const DESK = "/packages/tasks/dist/task-desk.js";

export const QUEUE_BREAKS = {
  "no compare-and-set": [
    {
      file: LAND,
      from: "const move = { branch: first.integration, from: tip,",
      to: "const latest = await integrationTip(desk.place, first.integration);\n        const move = { branch: first.integration, from: latest.value.tip,",
    },
  ],
  "evidence of another tree": [
    { file: LAND, from: "tree: last.tree, base: tip", to: "tree: joined[0].tree, base: tip" },
  ],
  "no check after a lost race": [
    {
      file: LAND,
      from: "const verdict = await checked(",
      to: "const verdict = tries < TRIES ? ok({ isGreen: true, output: '' }) : await checked(",
    },
  ],
  "no attempt check": [
    { file: DESK, from: "context.attempt !== task.attempt", to: "false" },
    { file: DESK, from: "sha256(context.token) !== task.tokenSha256", to: "false" },
  ],
  "completed before it has landed": [
    {
      file: LAND,
      from: "const moved = await moveSharedBranch(desk.place, move);",
      to: "for (const { task } of joined)\n            landed.push(await complete(desk, task, commit.value, landing));\n        const moved = await moveSharedBranch(desk.place, move);",
    },
  ],
};
