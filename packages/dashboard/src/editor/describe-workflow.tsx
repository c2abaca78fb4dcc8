import { useState } from "react";
import { shellWord } from "../inbox/command-line.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Input, TextArea } from "../ui/field.tsx";
import { nameFault } from "./name-fault.ts";

/** An agent drafts a workflow from somebody's own words. The engine's check of the draft is a part of the command
 *  `teach`, so that is what this leads to; what it asks comes to the page. */
export function DescribeWorkflow({ names }: { names: readonly { name: string }[] }) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [words, setWords] = useState("");
  const fault = nameFault(name, names);
  const isReady = name !== "" && fault === null && words.trim() !== "";
  const command = `uncaged-workflow teach ${name} --prompt ${shellWord(words.trim())}`;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Describe one in your own words…</Button>
      {open && (
        <Dialog title="Describe it in your own words" onClose={() => setOpen(false)}>
          <Field label="Name" fault={fault ?? undefined}>
            {(props) => (
              <Input
                {...props}
                value={name}
                autoFocus
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <Field
            label="What happens today"
            hint="Step by step: who does it, and who decides. A sentence is enough to begin."
          >
            {(props) => (
              <TextArea
                {...props}
                rows={5}
                value={words}
                onChange={(event) => setWords(event.target.value)}
              />
            )}
          </Field>
          <p className="mb-2">
            Run this in a terminal on the machine of the engine. An agent asks what is not clear,
            and drafts; the engine checks and tries the draft; you decide. What is asked comes to
            the inbox here as well.
          </p>
          {isReady && (
            <>
              <pre className="mb-2 whitespace-pre-wrap break-words rounded-sm border border-line bg-ground p-2 font-mono text-xs">
                {visible(command)}
              </pre>
              <CopyButton label="Copy command" text={() => command} />
            </>
          )}
        </Dialog>
      )}
    </>
  );
}
