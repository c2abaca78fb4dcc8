import { codex } from "../src/agents/codex.ts";
import { describeDevelop } from "./describe-develop.ts";

// Its planner stores phases from inside the sandbox.
describeDevelop(codex, ({ root }) => ({ writable: [root] }));
