import { claudeCode } from "../src/agents/claude-code.ts";
import { describeAgent } from "./describe-agent.ts";

describeAgent(claudeCode);
