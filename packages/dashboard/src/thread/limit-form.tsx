import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "@uncaged/workflow-gateway/contract";
import type { Limits, ReachedLimit } from "@uncaged/workflow-protocol";
import { type FormEvent, useState } from "react";
import { replied } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { submitOnModEnter } from "../ui/mod-enter.ts";
import { LimitFields } from "./limit-fields.tsx";
import { NO_TYPED, typedLimits } from "./limits.ts";
import { headKey } from "./thread-queries.ts";

const WORDS: { readonly [bound in keyof Limits]-?: (n: number) => string } = {
  steps: (n) => (n === 1 ? "1 step" : `${n} steps`),
  tokens: (n) => `${n.toLocaleString("en")} tokens`,
  costUsd: (n) => `$${n}`,
  timeMs: (n) => `${Math.round(n / 6_000) / 10} minutes`,
};

/** Raises limits of a thread, which goes on. `reached`: the one that stopped it. */
export function LimitForm({
  client,
  threadId,
  reached,
  onAnswered,
}: {
  client: string;
  threadId: string;
  reached?: ReachedLimit | undefined;
  onAnswered?: (() => void) | undefined;
}) {
  const queries = useQueryClient();
  const [typed, setTyped] = useState(NO_TYPED);
  const [tried, setTried] = useState(false);
  const { limits, faults } = typedLimits(typed);
  const role = reached?.role ?? null;
  const raise = useMutation({
    mutationFn: async () => {
      const body = { limits: role === null ? limits : { roles: { [role]: limits } } };
      return replied(
        await call(connection(), "raiseLimits", { client, path: { id: threadId }, body }),
      );
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["inbox", client] });
      void queries.invalidateQueries({ queryKey: headKey(client, threadId) });
      onAnswered?.();
    },
  });
  const none = Object.keys(limits).length === 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!none && Object.keys(faults).length === 0 && !raise.isPending) raise.mutate();
  };
  return (
    <form onSubmit={submit} onKeyDown={submitOnModEnter}>
      {reached !== undefined && (
        <p className="mb-2">
          {reached.role === null ? "The thread" : reached.role} may use{" "}
          {WORDS[reached.bound](reached.limit)}, and has used {WORDS[reached.bound](reached.used)}.
        </p>
      )}
      <p className="mb-2">The new totals; what is left empty stays as it is.</p>
      <LimitFields typed={typed} faults={tried ? faults : {}} onChange={setTyped} />
      {tried && none && Object.keys(faults).length === 0 && (
        <p className="mb-2 text-bad text-xs">✕ at least one limit is needed</p>
      )}
      {raise.error !== null && <Failure error={raise.error} />}
      <Button look="main" type="submit" disabled={raise.isPending}>
        {raise.isPending ? "Working…" : "Raise and go on"}
      </Button>
    </form>
  );
}
