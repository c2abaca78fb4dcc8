import type { KeyboardEvent } from "react";

/** ⌘↵, and Ctrl Enter where there is no ⌘, send a form from anywhere in it. */
export function submitOnModEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
