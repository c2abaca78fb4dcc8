import { acpOpencode } from "../src/agents/acp.ts";
import { describeAgent } from "./describe-agent.ts";

describeAgent(acpOpencode);
