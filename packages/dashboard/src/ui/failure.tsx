import { CallFailed } from "../api/queries.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

/** What went wrong and what to do next, as the engine said it. */
export function Failure({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const failure = error instanceof CallFailed ? error.failure : null;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <Notice tone="bad" title={capital(message)}>
      {failure !== null && failure.hint !== "" && <p>{capital(failure.hint)}</p>}
      {failure !== null && <p className="hint font-mono">{failure.code}</p>}
      {again !== undefined && (
        <Button size="small" className="mt-2" onClick={again}>
          Try again
        </Button>
      )}
    </Notice>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
