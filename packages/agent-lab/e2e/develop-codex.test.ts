import { codex } from "../src/agents/codex.ts";
import { describeDevelop } from "./describe-develop.ts";

describeDevelop(codex, { stores: "by tool" });
