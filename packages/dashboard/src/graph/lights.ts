import { createContext, useContext, useSyncExternalStore } from "react";
import type { Path } from "./path.ts";

/** What is lit: nodes and edges ask for their own light, so that a step by key draws those that change, and the graph
 *  stays as it is. */
export type Lights = {
  subscribe: (listener: () => void) => () => void;
  node: (id: string) => Light;
  edge: (id: string) => Light;
  visits: (id: string) => number;
  set: (next: Shown) => void;
};

/** `here`: the step that is looked at. `now`: the step under way. */
export type Light = "off" | "lit" | "here" | "now";

/** `step`: how far the path is shown; null: all of it. `running`: nodes of steps under way. */
export type Shown = { path: Path | null; step: number | null; running: readonly string[] };

export function makeLights(): Lights {
  const listeners = new Set<() => void>();
  let shown: Shown = { path: null, step: null, running: [] };
  const until = () => shown.step ?? Number.POSITIVE_INFINITY;
  const at = () => (shown.step === null ? undefined : shown.path?.steps[shown.step - 1]);
  const lit = (first: number | undefined): Light =>
    first !== undefined && first <= until() ? "lit" : "off";
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    node: (id) => {
      if (at()?.node === id) return "here";
      if (shown.running.includes(id)) return "now";
      return lit(shown.path?.nodes.get(id));
    },
    edge: (id) => (at()?.edge === id ? "here" : lit(shown.path?.edges.get(id))),
    visits: (id) => shown.path?.visits.get(id) ?? 0,
    set: (next) => {
      shown = next;
      for (const listener of listeners) listener();
    },
  };
}

export const LightsContext = createContext<Lights>(makeLights());

export function useNodeLight(id: string): Light {
  const lights = useContext(LightsContext);
  return useSyncExternalStore(lights.subscribe, () => lights.node(id));
}

export function useEdgeLight(id: string): Light {
  const lights = useContext(LightsContext);
  return useSyncExternalStore(lights.subscribe, () => lights.edge(id));
}

export function useVisits(id: string): number {
  const lights = useContext(LightsContext);
  return useSyncExternalStore(lights.subscribe, () => lights.visits(id));
}
