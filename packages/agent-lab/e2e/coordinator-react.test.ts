import { describeCoordinator } from "./describe-coordinator.ts";

describeCoordinator(async () => (url) => ({
  package: "@uncaged/workflow-agent-react",
  options: { model: "lab/lab-model" },
  providers: { lab: { baseUrl: `${url}/v1` } },
}));
