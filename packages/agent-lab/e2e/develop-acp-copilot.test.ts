import { acpCopilot } from "../src/agents/acp.ts";
import { describeDevelop } from "./describe-develop.ts";

describeDevelop(acpCopilot, { stores: "by command" });
