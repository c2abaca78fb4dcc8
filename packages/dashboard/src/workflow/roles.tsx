import type { WorkflowDetail } from "@uncaged/workflow-gateway/contract";
import { useEffect, useRef } from "react";
import { BoundedText } from "../text/bounded-text.tsx";
import { Said } from "../text/said.tsx";
import { visible } from "../text/visible.ts";
import { Tag } from "../ui/status.tsx";

/** Each role: what it is for, who plays it, what it is told and what it returns. */
export function Roles({ workflow, chosen }: { workflow: WorkflowDetail; chosen: string | null }) {
  const { descriptor, players } = workflow;
  const open = useRef<HTMLDetailsElement>(null);
  useEffect(() => open.current?.scrollIntoView({ block: "start" }), []);
  return (
    <div className="mx-auto max-w-4xl space-y-2 p-4">
      {Object.entries(descriptor.roles).map(([name, role]) => {
        const player = players[name];
        const { description, systemPrompt, schema, person, ...rules } = role;
        return (
          <details
            key={name}
            ref={name === chosen ? open : null}
            open={name === chosen}
            className="rounded-md border border-line bg-surface"
          >
            <summary className="flex flex-wrap items-center gap-2 px-3 py-2">
              <h2>{visible(name)}</h2>
              {person === undefined ? (
                player !== undefined && <Tag>{player.agent ?? "no agent"}</Tag>
              ) : (
                <Tag tone="ask">
                  a person{person.assignees ? `: ${person.assignees.join(", ")}` : ""}
                </Tag>
              )}
              <span className="min-w-0 flex-1 basis-60 text-dim">{visible(description)}</span>
            </summary>
            <div className="space-y-3 border-line border-t p-3">
              {systemPrompt !== "" && (
                <section>
                  <h3 className="mb-1">Prompt</h3>
                  <Said text={systemPrompt} />
                </section>
              )}
              <section>
                <h3 className="mb-1">What it returns</h3>
                <BoundedText text={JSON.stringify(schema, null, 2)} name={`${name}-schema`} />
              </section>
              {Object.keys(rules).length > 0 && (
                <section>
                  <h3 className="mb-1">What it has to obey</h3>
                  <BoundedText text={JSON.stringify(rules, null, 2)} name={`${name}-rules`} />
                </section>
              )}
            </div>
          </details>
        );
      })}
    </div>
  );
}
