import { call, type StepDetail, type ThreadHead } from "@uncaged/workflow-gateway/contract";
import { useState } from "react";
import { useReply } from "../api/queries.ts";
import { BoundedText } from "../text/bounded-text.tsx";
import { Button } from "../ui/button.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Failure } from "../ui/failure.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Empty } from "../ui/notice.tsx";
import { useWorkflow } from "../workflow/use-workflow.ts";
import { contentIn } from "./content-in.ts";

/** Why this role played now: the rule, and what it handed over. */
export function RouteTab({
  client,
  head,
  step,
}: {
  client: string;
  head: ThreadHead;
  step: StepDetail["step"];
}) {
  const { route, run } = step;
  const workflow = useWorkflow(client, head.workflow, head.bundleHash);
  if (route === null) return <Empty title="No rule is recorded for this step" />;
  const rules =
    workflow.data?.descriptor.graph.edges.filter(({ from }) => from === route.from) ?? [];
  const rule = route.rule == null ? undefined : rules[route.rule];
  return (
    <div className="space-y-4">
      <Facts>
        <Fact name="From">{route.from}</Fact>
        <Fact name="Because of">{route.condition}</Fact>
        <Fact name="To">{route.to ?? step.role}</Fact>
        {rule !== undefined && (
          <Fact name="Rule">
            number {(route.rule ?? 0) + 1} of {rules.length} of {route.from}
          </Fact>
        )}
        {rule !== undefined && (
          <Fact name="When">
            {rule.when === null ? (
              "always"
            ) : (
              <code className="foreign font-mono text-xs">{rule.when}</code>
            )}
          </Fact>
        )}
        {route.outcome === "limit" && (
          <Fact name="Outcome">a limit forbade the step of the other rules</Fact>
        )}
      </Facts>
      {workflow.error !== null && <Failure error={workflow.error} />}
      {route.prompt != null && (
        <section>
          <h3 className="mb-1">
            {route.promptFrom === "person"
              ? "What a person told the role"
              : "What the rule told the role"}
          </h3>
          <BoundedText text={route.prompt} name="edge-prompt" />
        </section>
      )}
      {run?.prompt != null && <FullPrompt client={client} hash={run.prompt} />}
    </div>
  );
}

function FullPrompt({ client, hash }: { client: string; hash: string }) {
  const [open, setOpen] = useState(false);
  const query = useReply(
    ["blob", client, hash],
    (to, signal) => call(to, "blob", { client, path: { hash }, signal }),
    { enabled: open, fresh: Number.POSITIVE_INFINITY },
  );
  return (
    <section>
      <Button size="small" look="bare" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "▾" : "▸"} The whole prompt
      </Button>
      {open && (
        <Loaded query={query}>
          {(blob) => <BoundedText text={contentIn(blob)} name="prompt" />}
        </Loaded>
      )}
    </section>
  );
}
