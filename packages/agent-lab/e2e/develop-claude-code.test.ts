import { claudeCode } from "../src/agents/claude-code.ts";
import { describeDevelop } from "./describe-develop.ts";

describeDevelop(claudeCode, { stores: "by command" });
