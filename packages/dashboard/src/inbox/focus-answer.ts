const BOX = "[data-answer] :is(input, textarea, select, button)";

/** Leads to the box in which what has the focus is answered, or else the first one. False: nothing is asked. */
export function focusAnswer(within: HTMLElement | null): boolean {
  const asked = document.activeElement?.closest("[data-asked]") ?? null;
  const from = asked !== null && within?.contains(asked) ? asked : within;
  const box = from?.querySelector<HTMLElement>(BOX) ?? null;
  box?.focus();
  return box !== null;
}
