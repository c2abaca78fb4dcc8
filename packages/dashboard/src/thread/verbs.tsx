import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call, type ThreadHead } from "@uncaged/workflow-gateway/contract";
import { canMove, isFinal } from "@uncaged/workflow-protocol";
import { useState } from "react";
import { useMay } from "../api/clients.ts";
import { replied } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/failure.tsx";
import { ForkForm } from "./fork-form.tsx";
import { LimitForm } from "./limit-form.tsx";
import { PokeForm } from "./poke-form.tsx";
import { RaceForm } from "./race-form.tsx";
import { headKey } from "./thread-queries.ts";

type Steer = "pauseThread" | "resumeThread" | "stopThread" | "killThread" | "undoPoke";
type Open = "kill" | "poke" | "fork" | "race" | "limits" | null;

/** What can be done with the thread as it stands. The engine decides again. */
export function Verbs({
  client,
  head,
  stepCount,
  step,
}: {
  client: string;
  head: ThreadHead;
  stepCount: number;
  /** Where a fork begins. */
  step: number;
}) {
  const { threadId: id, status } = head;
  const queries = useQueryClient();
  const may = useMay(client, "run");
  const [open, setOpen] = useState<Open>(null);
  const steer = useMutation({
    mutationFn: async (verb: Steer) => {
      const path = { id };
      if (verb === "resumeThread") {
        return replied(await call(connection(), verb, { client, path, body: {} }));
      }
      return replied(
        await call<Exclude<Steer, "resumeThread">>(connection(), verb, { client, path }),
      );
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: headKey(client, id) }),
  });
  const close = () => setOpen(null);
  if (!may) return null;
  const busy = steer.isPending;
  const rests = status === "paused" || status === "idle" || status === "queued";
  const canPoke =
    (status === "idle" || status === "paused" || status === "suspended") && stepCount > 0;
  return (
    <div className="flex max-w-full gap-1 overflow-x-auto p-0.5">
      {rests && (
        <Button
          size="small"
          look="main"
          disabled={busy}
          onClick={() => steer.mutate("resumeThread")}
        >
          Resume
        </Button>
      )}
      {canMove(status, "paused") && (
        <Button size="small" disabled={busy} onClick={() => steer.mutate("pauseThread")}>
          Pause
        </Button>
      )}
      {status === "running" && (
        <Button size="small" disabled={busy} onClick={() => steer.mutate("stopThread")}>
          Stop
        </Button>
      )}
      {canPoke && (
        <Button size="small" onClick={() => setOpen("poke")}>
          Poke…
        </Button>
      )}
      <Button size="small" onClick={() => setOpen("fork")}>
        Fork here…
      </Button>
      <Button size="small" onClick={() => setOpen("race")}>
        Race…
      </Button>
      {!isFinal(status) && (
        <Button size="small" onClick={() => setOpen("limits")}>
          Limits…
        </Button>
      )}
      {canMove(status, "aborted") && (
        <Button size="small" look="danger" onClick={() => setOpen("kill")}>
          Kill…
        </Button>
      )}
      {steer.error !== null && (
        <Dialog title="That did not work" onClose={() => steer.reset()}>
          <Failure error={steer.error} />
        </Dialog>
      )}
      {open === "kill" && (
        <Dialog title="Kill this thread" onClose={close}>
          <p>
            Its agents end now, with every process that they started, and the thread is aborted for
            good. Its steps stay, and a fork can go on from any of them.
          </p>
          <div className="mt-4 flex items-center gap-2">
            <Button
              look="danger"
              onClick={() => {
                steer.mutate("killThread");
                close();
              }}
            >
              Kill the thread
            </Button>
            <Button onClick={close}>Cancel</Button>
            <span className="grow" />
            <CopyButton look="bare" label="Copy command" text={() => `uwf kill ${id}`} />
          </div>
        </Dialog>
      )}
      {open === "poke" && (
        <Dialog title={`Run step ${stepCount} again`} onClose={close}>
          <PokeForm
            client={client}
            head={head}
            onUndo={() => {
              steer.mutate("undoPoke");
              close();
            }}
            onDone={close}
          />
        </Dialog>
      )}
      {open === "fork" && (
        <Dialog
          title={step === 0 ? "Fork from the start" : `Fork from step ${step}`}
          onClose={close}
        >
          <ForkForm client={client} head={head} step={step} />
        </Dialog>
      )}
      {open === "race" && (
        <Dialog
          title={step === 0 ? "Race from the start" : `Race from step ${step}`}
          onClose={close}
        >
          <RaceForm client={client} head={head} step={step} />
        </Dialog>
      )}
      {open === "limits" && (
        <Dialog title="Raise limits" onClose={close}>
          <LimitForm client={client} threadId={id} onAnswered={close} />
        </Dialog>
      )}
    </div>
  );
}
