import { isPersonWait, type Wait } from "@uncaged/workflow-protocol";

/** Names a question among those of its thread. */
export const waitKey = (wait: Wait): string =>
  isPersonWait(wait) ? `${wait.role} ${wait.member} ${wait.since}` : wait.role;
