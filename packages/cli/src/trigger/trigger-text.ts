/** Triggers in words and documents, without their secrets. */
import type { PlannedStart, Trigger, TriggerSource } from "@uncaged/workflow-protocol";

export type ShownTrigger = {
  name: string;
  source: { kind: "watch"; folder: string } | { kind: "webhook"; filter: string | null };
  start: PlannedStart;
  createdAt: number;
  pausedAt: number | null;
};

export function shownTrigger({ name, plan, createdAt, pausedAt }: Trigger): ShownTrigger {
  return { name, source: withoutSecret(plan.source), start: plan.start, createdAt, pausedAt };
}

function withoutSecret(source: TriggerSource): ShownTrigger["source"] {
  return source.kind === "watch" ? source : { kind: "webhook", filter: source.filter };
}

export function sourceText(source: TriggerSource): string {
  if (source.kind === "watch") return `new files in ${source.folder}`;
  return source.filter === null ? "webhook" : `webhook, if ${source.filter}`;
}

/** What is still missing for it to start anything. */
export function missing({ kind }: TriggerSource, isHosted: boolean): string[] {
  if (kind === "webhook") return [BY_GATEWAY];
  return isHosted ? [] : ["no host is up, so nothing starts; start one with: uncaged-workflow up"];
}

const BY_GATEWAY =
  "deliveries arrive through a gateway, at <its address>/hooks/<this engine>/<the trigger>; see: uncaged-workflow gateway --help";
