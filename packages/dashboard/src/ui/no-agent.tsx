import { Notice } from "./notice.tsx";

/** Nobody plays a role that names no agent. An agent is a program with a log-in of its own, so it is set up on its machine. */
export function NoAgent({ client }: { client: string }) {
  return (
    <Notice tone="warn" title={`No default agent is set up on ${client}`}>
      <p>
        Everything can be made and tried without one. Before it runs, somebody sets one up there,
        once: <code className="font-mono">uwf agent add &lt;package&gt;</code>, such as
        @uncaged/workflow-agent-claude-code, then <code className="font-mono">uwf setup</code>.
      </p>
    </Notice>
  );
}
