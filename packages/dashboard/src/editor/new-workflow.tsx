import { useState } from "react";
import { useLocation } from "wouter";
import { editAt } from "../shell/addresses.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { nameFault } from "./name-fault.ts";
import { NameField } from "./name-field.tsx";

/** A name is all that a new workflow needs: the editor begins with somebody who drafts and a person who approves. */
export function NewWorkflow({
  client,
  names,
}: {
  client: string;
  names: readonly { name: string }[];
}) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [, go] = useLocation();
  const fault = nameFault(name, names);
  return (
    <>
      <Button look="main" onClick={() => setOpen(true)}>
        New workflow…
      </Button>
      {open && (
        <Dialog title="New workflow" onClose={() => setOpen(false)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (name !== "" && fault === null) go(editAt(client, name, true));
            }}
          >
            <NameField
              name={name}
              hint="Small letters, digits and -. Nothing is published before you say so."
              fault={fault}
              onName={setName}
            />
            <Button type="submit" look="main" disabled={name === "" || fault !== null}>
              Begin
            </Button>
          </form>
        </Dialog>
      )}
    </>
  );
}
