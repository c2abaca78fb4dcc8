import { acpCodex } from "../src/agents/acp.ts";
import { describeAgent } from "./describe-agent.ts";

describeAgent(acpCodex);
