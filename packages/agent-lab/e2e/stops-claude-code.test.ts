import { claudeCode } from "../src/agents/claude-code.ts";
import { describeStops } from "./describe-stops.ts";

describeStops(claudeCode);
