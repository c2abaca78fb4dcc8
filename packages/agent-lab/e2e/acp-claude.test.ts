import { acpClaude } from "../src/agents/acp.ts";
import { describeAgent } from "./describe-agent.ts";

describeAgent(acpClaude);
