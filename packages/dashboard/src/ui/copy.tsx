import { useState } from "react";
import { Button } from "./button.tsx";

/** Puts a text on the clipboard; false when the browser does not let us. Plain HTTP off loopback has no clipboard
 *  interface, so the older way is the second one. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard !== undefined) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Refused: the second way.
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "fixed opacity-0";
  // Inside an open dialog nothing outside of it can be selected.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}

export function CopyButton({
  text,
  label = "Copy",
  look = "plain",
}: {
  text: () => string;
  label?: string;
  look?: "plain" | "bare";
}) {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  const copy = async () => {
    setState((await copyText(text())) ? "copied" : "refused");
    setTimeout(() => setState("idle"), 1_500);
  };
  return (
    <Button size="small" look={look} onClick={() => void copy()}>
      <span aria-live="polite">
        {state === "idle" ? label : state === "copied" ? "Copied" : "Not allowed"}
      </span>
    </Button>
  );
}
