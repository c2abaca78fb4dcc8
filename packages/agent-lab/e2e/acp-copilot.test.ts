import { acpCopilot } from "../src/agents/acp.ts";
import { describeAgent } from "./describe-agent.ts";

describeAgent(acpCopilot);
