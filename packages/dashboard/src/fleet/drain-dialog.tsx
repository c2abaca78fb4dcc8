import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call, type WorkerRow } from "@uncaged/workflow-gateway/contract";
import { replied } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { oneLine } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/failure.tsx";

/** A drained worker is started again on its machine only, so this asks first. */
export function DrainDialog({
  client,
  worker: { worker, host, pools, threads },
  onClose,
}: {
  client: string;
  worker: WorkerRow;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const drain = useMutation({
    mutationFn: async () =>
      replied(await call(connection(), "drainWorker", { client, path: { worker } })),
    onSuccess: onClose,
    onSettled: () => void queries.invalidateQueries({ queryKey: ["workers", client] }),
  });
  const runs =
    threads.length === 0
      ? "It runs no thread now."
      : `It runs ${threads.length === 1 ? "1 thread" : `${threads.length} threads`} now: each finishes the step under way and goes back to the queue.`;
  return (
    <Dialog title={`Drain ${worker}`} onClose={onClose}>
      <p>
        It takes nothing new, and ends when nothing runs on it any more. {runs} To have it back,
        somebody starts it again on {oneLine(host, 60)}. What is in {oneLine(pools.join(", "), 60)}{" "}
        waits for another worker.
      </p>
      {drain.error !== null && (
        <div className="mt-3">
          <Failure error={drain.error} />
        </div>
      )}
      <div className="mt-4 flex items-center gap-2">
        <Button look="danger" disabled={drain.isPending} onClick={() => drain.mutate()}>
          Drain the worker
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        <span className="grow" />
        <CopyButton look="bare" label="Copy command" text={() => `uwf worker drain ${worker}`} />
      </div>
    </Dialog>
  );
}
