/** Changes that are only on the page: whoever leaves their view by a link, a key or the browser's Back is asked first. */

type Held = {
  /** The view's path. */
  path: string;
  search: string;
  /** Asks; `leave` goes where the person was going. */
  ask: (leave: () => void) => void;
};

let held: Held | null = null;

/** Returns how to let go. */
export function holdChanges(ask: Held["ask"]): () => void {
  const own: Held = { path: location.pathname, search: location.search, ask };
  held = own;
  return () => {
    if (held === own) held = null;
  };
}

/** For wouter's router. */
export function aroundNav(
  navigate: (to: string, options?: object) => void,
  to: string,
  options?: object,
): void {
  const path = to.split(/[?#]/)[0] ?? "";
  if (held === null || path === held.path || path === "") {
    navigate(to, options);
    if (held !== null) held.search = location.search;
    return;
  }
  held.ask(() => {
    held = null;
    navigate(to, options);
  });
}

/** Before the router hears of it, which would take the view away. */
window.addEventListener("popstate", (event) => {
  const now = held;
  if (now === null || location.pathname === now.path) return;
  event.stopImmediatePropagation();
  history.pushState(null, "", now.path + now.search);
  now.ask(() => {
    held = null;
    history.back();
  });
});
