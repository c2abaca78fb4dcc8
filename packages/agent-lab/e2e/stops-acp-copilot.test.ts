import { acpCopilot } from "../src/agents/acp.ts";
import { describeStops } from "./describe-stops.ts";

describeStops(acpCopilot);
