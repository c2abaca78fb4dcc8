import { createReactAdapter } from "@uncaged/workflow-agent-react";
import { describeRow } from "./describe-agent.ts";

const NO_PROGRAM = "it is no program: what is killed is its command, and the model goes on";

describeRow({
  name: "react",
  prepare: async () => (url, options) =>
    createReactAdapter({ ...options, baseUrl: `${url}/v1`, model: "lab-model" }),
  differs: {
    "agent-killed": { expects: { outcome: "ok" }, because: NO_PROGRAM },
  },
});
