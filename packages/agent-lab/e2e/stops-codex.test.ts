import { codex } from "../src/agents/codex.ts";
import { describeStops } from "./describe-stops.ts";

describeStops(codex);
