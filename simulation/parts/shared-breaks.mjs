/** Ways to break what keeps machines of one root apart, as in break.mjs. */
import { BREAKS } from "./break.mjs";

export const SHARED_BREAKS = {
  "a fence that is not looked at": BREAKS["owners whose fence is not looked at"],
  "an owner that goes on when it cannot renew": [
    {
      file: "/packages/execute/dist/keeper/heartbeat.js",
      from: "            fenceOverdue();",
      to: "",
    },
  ],
  "a move that is repeated without asking whether it was done": [
    {
      file: "/packages/store/dist/operations/head-moves.js",
      from: "        if (isPublished(thread, move))\n            return;",
      to: "",
    },
  ],
  "a transaction that is repeated without asking whether it was done": [
    {
      file: "/packages/store-postgres/dist/database/database.js",
      from: "if (mayBeDone !== null && (await isMarked(client, schema, mark)))",
      to: "if (false)",
    },
  ],
  "a question whether it was done that leaves a mark itself": [
    {
      file: "/packages/store-postgres/dist/database/database.js",
      from: "ON CONFLICT DO NOTHING; ROLLBACK`",
      to: "ON CONFLICT DO NOTHING; COMMIT`",
    },
  ],
  "a lease that is kept from when it was given": [
    {
      file: "/packages/execute/dist/keeper/heartbeat.js",
      from: "monotonicMs() - ageMs",
      to: "monotonicMs()",
    },
  ],
  "leases that expire by the clocks of their callers": [
    {
      file: "/packages/store-postgres/dist/database/database.js",
      from: "clock?.(nowMs) ?? serverMs",
      to: "nowMs",
    },
  ],
};
