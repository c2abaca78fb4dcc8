import { claudeCode } from "../src/agents/claude-code.ts";
import { describeDevelop } from "./describe-develop.ts";

// Its planner stores phases, and its coder loads them, through what the engine lends the sandbox.
describeDevelop(claudeCode, undefined, { isolation: "sandbox" });
