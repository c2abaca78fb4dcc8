import type { ThreadHead, ThreadIndex } from "@uncaged/workflow-gateway/contract";
import { isFinal } from "@uncaged/workflow-protocol";
import { useMemo } from "react";
import { GraphView } from "../graph/graph-view.tsx";
import { graphOf } from "../graph/model.ts";
import { pathOf } from "../graph/path.ts";
import { Loaded } from "../ui/loaded.tsx";
import { useWorkflow } from "../workflow/use-workflow.ts";
import { GroupMembers } from "./group-members.tsx";

/** The workflow with the path that the thread took, up to the step that is looked at. */
export function ThreadGraph({
  client,
  head,
  index,
  step,
  running,
  onChoose,
}: {
  client: string;
  head: ThreadHead;
  index: ThreadIndex;
  /** null: the step under way. */
  step: number | null;
  running: readonly string[];
  onChoose: (step: number) => void;
}) {
  const workflow = useWorkflow(client, head.workflow, head.bundleHash);
  const descriptor = workflow.data?.descriptor;
  const model = useMemo(
    () => (descriptor === undefined ? null : graphOf(descriptor)),
    [descriptor],
  );
  const ended = isFinal(head.status) && head.status === "completed";
  const path = useMemo(
    () => (descriptor === undefined ? null : pathOf(index, descriptor.graph.edges, ended)),
    [descriptor, index, ended],
  );
  const waiting = head.suspended?.role;
  const now = running.length > 0 ? running : waiting === undefined ? running : [waiting];
  const nowKey = now.join("\n");
  // At the start all of the path is shown.
  const until = step === null || step === 0 ? null : step;
  const shown = useMemo(
    () => ({ path, step: until, running: nowKey === "" ? [] : nowKey.split("\n") }),
    [path, until, nowKey],
  );
  const focus = until === null ? (now[0] ?? null) : (path?.steps[until - 1]?.node ?? null);
  const chooseNode = useMemo(
    () => (node: string) => {
      const round = path?.nodes.get(node);
      if (round !== undefined) onChoose(Math.min(round, index.stepCount));
    },
    [path, onChoose, index.stepCount],
  );
  return (
    <Loaded query={workflow}>
      {() =>
        model === null ? null : (
          <div className="flex h-full flex-col">
            <div className="min-h-0 flex-1">
              <GraphView model={model} shown={shown} focus={focus} onChoose={chooseNode} />
            </div>
            <GroupMembers index={index} step={until} onChoose={onChoose} />
          </div>
        )
      }
    </Loaded>
  );
}
