import { useMutation, useQueryClient } from "@tanstack/react-query";
import { graphOf, sentencesOf } from "@uncaged/workflow-editor";
import { call, type TextFault } from "@uncaged/workflow-gateway/contract";
import { useMemo } from "react";
import { Link } from "wouter";
import { replied } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { TextDiff } from "../compare/text-diff.tsx";
import { runAt } from "../shell/addresses.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/failure.tsx";
import { Notice } from "../ui/notice.tsx";

/** The difference first, then a new version: never over one that somebody else has published meanwhile. */
export function PublishDialog({
  client,
  name,
  base,
  text,
  faults,
  onClose,
  onPublished,
}: {
  client: string;
  name: string;
  base: { text: string; hash: string | null };
  text: string;
  faults: readonly TextFault[];
  onClose: () => void;
  onPublished: (hash: string) => void;
}) {
  const queries = useQueryClient();
  const publish = useMutation({
    mutationFn: async () =>
      replied(
        await call(connection(), "publishWorkflow", {
          client,
          path: { name },
          body: { yaml: text },
          ...(base.hash === null ? {} : { ifMatch: base.hash }),
        }),
      ),
    onSuccess: ({ hash }) => {
      onPublished(hash);
      for (const key of ["workflow", "workflows", "workflow-text"])
        void queries.invalidateQueries({ queryKey: [key] });
    },
  });
  const bad = faults.filter(({ level }) => level === "fault").length;
  if (publish.data !== undefined) {
    const { hash } = publish.data;
    return (
      <Dialog title="Published" onClose={onClose}>
        <p className="mb-3">
          {name} is published, as version <span className="font-mono">{hash}</span>. Threads that
          run keep their version.
        </p>
        <Link href={runAt(client, name)} className="text-accent">
          Run it…
        </Link>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={base.hash === null ? `Publish ${name}` : `Publish a new version of ${name}`}
      onClose={onClose}
      wide
    >
      {bad > 0 && (
        <Notice tone="warn" title={`The engine finds ${bad === 1 ? "a fault" : `${bad} faults`}`}>
          It is refused until they are gone.
        </Notice>
      )}
      <Changes a={base.text} b={text} />
      <details className="mb-3">
        <summary className="hint cursor-pointer">The same as text</summary>
        <TextDiff a={base.text} b={text} />
      </details>
      {publish.error !== null && <Failure error={publish.error} />}
      <div className="sticky -bottom-4 -mx-4 -mb-4 flex justify-end gap-2 border-line border-t bg-surface px-4 py-2">
        <Button onClick={onClose}>Not yet</Button>
        <Button look="main" disabled={publish.isPending} onClick={() => publish.mutate()}>
          Publish
        </Button>
      </div>
    </Dialog>
  );
}

/** What is different, in the sentences of both. What has no sentence is in the text. */
function Changes({ a, b }: { a: string; b: string }) {
  const rows = useMemo(() => {
    const [before, after] = [sentencesIn(a), sentencesIn(b)];
    return [
      ...before.filter((each) => !after.includes(each)).map((line) => ({ sign: "−", line })),
      ...after.filter((each) => !before.includes(each)).map((line) => ({ sign: "+", line })),
    ];
  }, [a, b]);
  if (rows.length === 0)
    return <p className="mb-3">Who does what, and what comes next, stay as they were.</p>;
  return (
    <ul className="mb-3" aria-label="What is different">
      {rows.map(({ sign, line }) => (
        <li key={`${sign} ${line}`} className="flex gap-2">
          <span className={`font-mono ${sign === "+" ? "text-good" : "text-bad"}`}>{sign}</span>
          <span className="foreign min-w-0 flex-1">{visible(line)}</span>
        </li>
      ))}
    </ul>
  );
}

function sentencesIn(text: string): string[] {
  const read = graphOf(text);
  return read.ok ? [...new Set(sentencesOf(read.value))] : [];
}
