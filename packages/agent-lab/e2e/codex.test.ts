import { codex } from "../src/agents/codex.ts";
import { describeAgent } from "./describe-agent.ts";

describeAgent(codex);
