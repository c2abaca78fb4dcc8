import { call, type StepDetail } from "@uncaged/workflow-gateway/contract";
import { useReply } from "../api/queries.ts";
import { Loaded } from "../ui/loaded.tsx";
import { count, duration, money } from "../ui/times.ts";
import { TextDiff } from "./text-diff.tsx";

/** What two threads said in a step, the files they left, and what it cost. */
export function SaidDiff({ client, a, b, n }: { client: string; a: string; b: string; n: number }) {
  const first = useStep(client, a, n);
  const second = useStep(client, b, n);
  return (
    <div className="border-line border-t p-3">
      <Loaded query={first}>
        {({ step: left }) => (
          <Loaded query={second}>
            {({ step: right }) => (
              <>
                <TextDiff a={left.content} b={right.content} />
                <p className="hint mt-2">
                  a: {costOf(left)} · b: {costOf(right)}
                </p>
                {left.workspace !== undefined && right.workspace !== undefined && (
                  <p className="hint">
                    {left.workspace.after === right.workspace.after
                      ? "The files are the same afterwards."
                      : `The files differ: git diff ${left.workspace.after} ${right.workspace.after}`}
                  </p>
                )}
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </div>
  );
}

function useStep(client: string, id: string, n: number) {
  return useReply(["step", client, id, n], (to, signal) =>
    call(to, "showStep", { client, path: { id, n: String(n) }, signal }),
  );
}

function costOf({ run }: StepDetail["step"]): string {
  if (run === null) return "no run is recorded";
  const { usage, startedAt, completedAt } = run;
  const words = [
    ...(startedAt === undefined || completedAt === undefined
      ? []
      : [duration(completedAt - startedAt)]),
    ...(usage == null ? [] : [`${count(usage.inputTokens + usage.outputTokens)} tokens`]),
    ...(usage?.costUsd == null ? [] : [money(usage.costUsd)]),
  ];
  return words.join(", ") || "nothing reported";
}
