import type { CallFailure } from "@uncaged/workflow-gateway/contract";
import { type FormEvent, useState } from "react";
import { CallFailed } from "../api/queries.ts";
import { logIn } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { Field, Input } from "../ui/field.tsx";
import { Mark } from "../ui/mark.tsx";

export function LogIn({
  failure,
  onEntered,
}: {
  failure: CallFailure | null;
  onEntered: () => void;
}) {
  const [token, setToken] = useState("");
  const [refused, setRefused] = useState(failure);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() === "") return;
    setBusy(true);
    const session = await logIn({ token: token.trim() });
    setBusy(false);
    if (session.ok) onEntered();
    else setRefused(session.error);
  };
  return (
    <main className="mx-auto flex min-h-full max-w-sm flex-col justify-center p-4">
      <div className="rounded-md border border-line bg-surface p-5">
        <h1 className="mb-4 flex items-center gap-2">
          <Mark /> Uncaged workflow
        </h1>
        {refused !== null && (
          <div className="mb-4">
            <Failure error={new CallFailed(refused)} />
          </div>
        )}
        <p className="mb-4">
          On the machine that runs the gateway, <code className="font-mono">uwf dashboard</code>{" "}
          prints a link that logs you in. Or paste a token:
        </p>
        <form onSubmit={(event) => void submit(event)}>
          <Field
            label="Token"
            hint={
              <>
                Made by <code className="font-mono">uwf gateway token add</code>. It stays on this
                page and is sent once.
              </>
            }
          >
            {(props) => (
              <Input
                {...props}
                type="password"
                autoComplete="off"
                spellCheck={false}
                value={token}
                onChange={(event) => setToken(event.target.value)}
              />
            )}
          </Field>
          <Button look="main" type="submit" disabled={busy || token.trim() === ""}>
            {busy ? "Logging in…" : "Log in"}
          </Button>
        </form>
      </div>
    </main>
  );
}
