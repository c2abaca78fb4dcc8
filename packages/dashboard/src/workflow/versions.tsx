import type { WorkflowDetail } from "@uncaged/workflow-gateway/contract";
import type { WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { useState } from "react";
import { Link } from "wouter";
import { TextDiff } from "../compare/text-diff.tsx";
import { workflowAt } from "../shell/addresses.ts";
import { CopyButton } from "../ui/copy.tsx";
import { Field, Select } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Ago } from "../ui/time.tsx";
import { useWorkflow } from "./use-workflow.ts";

/** All versions, and how the one that is shown differs from another. */
export function Versions({ client, workflow }: { client: string; workflow: WorkflowDetail }) {
  const current = useWorkflow(client, workflow.name);
  const all = current.data ?? workflow;
  const versions = [{ hash: all.hash, timestamp: all.timestamp }, ...all.history];
  const at = versions.findIndex(({ hash }) => hash === workflow.hash);
  const [other, setOther] = useState(versions[at + 1]?.hash ?? "");
  return (
    <div className="mx-auto max-w-4xl p-4">
      <ol className="mb-4 divide-y divide-line rounded-md border border-line bg-surface">
        {versions.map(({ hash, timestamp }, index) => (
          <li
            key={`${hash} ${timestamp}`}
            className="flex flex-wrap items-center gap-2 px-3 py-1.5"
          >
            <Link
              href={`${workflowAt(client, workflow.name, hash)}&part=versions`}
              aria-current={hash === workflow.hash ? "true" : undefined}
              className="font-mono text-accent text-xs aria-[current=true]:font-bold"
            >
              {hash}
            </Link>
            {index === 0 && <span className="hint">current</span>}
            {hash === workflow.hash && <span className="hint">shown</span>}
            <span className="grow" />
            <span className="hint">
              <Ago at={timestamp} />
            </span>
            <CopyButton
              look="bare"
              label="Copy command"
              text={() => `uwf workflow rollback ${workflow.name} ${hash}`}
            />
          </li>
        ))}
      </ol>
      {versions.length > 1 && (
        <Field label="Difference to">
          {(props) => (
            <Select {...props} value={other} onChange={(event) => setOther(event.target.value)}>
              <option value="">choose a version</option>
              {versions
                .filter(({ hash }) => hash !== workflow.hash)
                .map(({ hash, timestamp }) => (
                  <option key={`${hash} ${timestamp}`} value={hash}>
                    {hash}
                  </option>
                ))}
            </Select>
          )}
        </Field>
      )}
      {other !== "" && <Difference client={client} workflow={workflow} other={other} />}
    </div>
  );
}

function Difference({
  client,
  workflow,
  other,
}: {
  client: string;
  workflow: WorkflowDetail;
  other: string;
}) {
  const query = useWorkflow(client, workflow.name, other);
  return (
    <Loaded query={query}>
      {({ descriptor }) => <TextDiff a={inLines(descriptor)} b={inLines(workflow.descriptor)} />}
    </Loaded>
  );
}

/** A descriptor as lines: texts with their own breaks, so that a difference shows the line that changed. */
function inLines({ description, roles, graph, limits, result }: WorkflowDescriptor): string {
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return [
    description,
    ...Object.entries(roles).flatMap(
      ([name, { description: says, systemPrompt, schema, ...rules }]) => [
        "",
        `role ${name}: ${says}`,
        systemPrompt,
        `returns ${json(schema)}`,
        ...(Object.keys(rules).length === 0 ? [] : [`obeys ${json(rules)}`]),
      ],
    ),
    "",
    ...graph.edges.map(({ from, to, condition, when, prompt, outcomes, group }) =>
      [
        `${from} → ${to} (${condition}${outcomes === undefined ? "" : ` after ${outcomes.join(", ")}`})`,
        ...(when === null ? [] : [`  when ${when}`]),
        ...(prompt === null ? [] : [`  says ${prompt}`]),
        ...(group === undefined ? [] : [`  group ${JSON.stringify(group)}`]),
      ].join("\n"),
    ),
    ...(limits === undefined ? [] : [`limits ${json(limits)}`]),
    ...(result === undefined ? [] : [`result ${result}`]),
  ].join("\n");
}
