import type { Limits, ThreadLimits } from "@uncaged/workflow-protocol";
import { duration, money } from "../ui/times.ts";

/** Bounds as people type them: minutes in place of milliseconds. Empty: unchanged. */
export type TypedLimits = { steps: string; tokens: string; costUsd: string; minutes: string };

export const NO_TYPED: TypedLimits = { steps: "", tokens: "", costUsd: "", minutes: "" };

/** The limits that were typed, and what is wrong with which. */
export function typedLimits(typed: TypedLimits): {
  limits: Limits;
  faults: { readonly [name in keyof TypedLimits]?: string };
} {
  const limits: Limits = {};
  const faults: { [name in keyof TypedLimits]?: string } = {};
  const read = (name: keyof TypedLimits, whole: boolean): number | undefined => {
    const words = typed[name].trim();
    if (words === "") return undefined;
    const number = Number(words);
    if (!Number.isFinite(number) || number <= 0) faults[name] = "this has to be a number above 0";
    else if (whole && !Number.isInteger(number)) faults[name] = "this has to be a whole number";
    else return number;
    return undefined;
  };
  const steps = read("steps", true);
  const tokens = read("tokens", true);
  const costUsd = read("costUsd", false);
  const minutes = read("minutes", false);
  if (steps !== undefined) limits.steps = steps;
  if (tokens !== undefined) limits.tokens = tokens;
  if (costUsd !== undefined) limits.costUsd = costUsd;
  if (minutes !== undefined) limits.timeMs = Math.round(minutes * 60_000);
  return { limits, faults };
}

/** One line for the thread, one for each role that has limits of its own. */
export function limitsInWords({ roles = {}, ...own }: ThreadLimits): string[] {
  const lines = Object.entries(roles).map(([role, limits]) => `${role}: ${boundsInWords(limits)}`);
  const all = boundsInWords(own);
  return all === "" ? lines : [all, ...lines];
}

function boundsInWords({ steps, tokens, costUsd, timeMs }: Limits): string {
  return [
    ...(steps === undefined
      ? []
      : [`${steps.toLocaleString("en")} ${steps === 1 ? "step" : "steps"}`]),
    ...(tokens === undefined ? [] : [`${tokens.toLocaleString("en")} tokens`]),
    ...(costUsd === undefined ? [] : [money(costUsd)]),
    ...(timeMs === undefined ? [] : [duration(timeMs)]),
  ].join(", ");
}
