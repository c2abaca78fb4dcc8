import { useEffect, useRef } from "react";

/** What a key does: a character, or the name of a key in small letters, such as `pagedown`. False: nothing, so it stays
 *  the browser's. */
export type Keys = { readonly [key: string]: () => unknown };

/** Single keys for the page: they rest while somebody types, while a dialog is open, and beside Ctrl, Alt and ⌘. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      // Inside a shadow root `target` would be its host.
      const [target = null] = event.composedPath();
      if (isTyping(target) || document.querySelector("dialog[open]") !== null) return;
      const key = event.key.length === 1 ? event.key : event.key.toLowerCase();
      const act = Object.hasOwn(latest.current, key) ? latest.current[key] : undefined;
      if (act === undefined || (key === "enter" && takesEnter(target))) return;
      if (act() !== false) event.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

/** What has the focus comes before the row that the keys are at. */
const takesEnter = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest("a, button, summary, [role=option], [role=group][tabindex]") !== null;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type))
  );
}
