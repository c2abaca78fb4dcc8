import type { StepDetail } from "@uncaged/workflow-gateway/contract";
import { Fact, Facts } from "../ui/facts.tsx";
import { Empty } from "../ui/notice.tsx";
import { duration, moment, money } from "../ui/times.ts";

/** What a step took and used, and who played. */
export function CostTab({ step: { run } }: { step: StepDetail["step"] }) {
  if (run === null) return <Empty title="No run is recorded for this step" />;
  const { usage, agent, person } = run;
  return (
    <Facts>
      {usage == null ? (
        <Fact name="Used">nobody reported anything</Fact>
      ) : (
        <>
          <Fact name="Input tokens">
            <span className="tabular">{usage.inputTokens.toLocaleString("en")}</span>
            {usage.cachedInputTokens > 0 &&
              ` (${usage.cachedInputTokens.toLocaleString("en")} of them cached)`}
          </Fact>
          <Fact name="Output tokens">
            <span className="tabular">{usage.outputTokens.toLocaleString("en")}</span>
          </Fact>
          <Fact name="Cost">
            {usage.costUsd === null ? "not reported" : money(usage.costUsd)}
            {usage.estimated === true && " (tokens are estimated)"}
          </Fact>
        </>
      )}
      {run.startedAt !== undefined && <Fact name="Began">{moment(run.startedAt)}</Fact>}
      {run.startedAt !== undefined && run.completedAt !== undefined && (
        <Fact name="Took">{duration(run.completedAt - run.startedAt)}</Fact>
      )}
      {agent !== undefined && (
        <Fact name="Agent">
          {agent.binding ?? agent.name} {agent.version}
        </Fact>
      )}
      {agent?.model !== undefined && <Fact name="Model">{agent.model}</Fact>}
      {agent?.path !== undefined && (
        <Fact name="Program">
          <span className="foreign font-mono">{agent.path}</span>
        </Fact>
      )}
      {run.session != null && (
        <Fact name="Session">
          <span className="foreign font-mono">{run.session}</span>
        </Fact>
      )}
      {run.cwd !== undefined && (
        <Fact name="Folder">
          <span className="foreign font-mono">{run.cwd}</span>
        </Fact>
      )}
      {person !== undefined && (
        <Fact name="Answered by">
          {person.user ?? "nobody in time"}
          {person.assignees.length > 0 && ` (asked: ${person.assignees.join(", ")})`}
        </Fact>
      )}
    </Facts>
  );
}
