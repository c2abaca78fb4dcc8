/** Commands that continue after their call has ended: an agent asks for the rest of their output later, by the name
 *  of their shell. What ends then is the command, and it is evidence as if its call had waited. */
import type { ToolCallRecord } from "@uncaged/workflow-protocol";

type ShellEnd = { shell: string; exitCode: number | null };

export type LeftRunning = {
  /** A call has ended. Returns the record of the command that ended with it, if an earlier call started that
   *  command. */
  ended(record: ToolCallRecord, end: ShellEnd | null): ToolCallRecord | null;
};

const MOST_OPEN = 100;

export function leftRunning(): LeftRunning {
  const open = new Map<string, ToolCallRecord>();
  return {
    ended(record, end) {
      if (end === null || record.refused === true) return null;
      if (record.kind === "execute") {
        open.delete(end.shell);
        if (record.exitCode === null && record.ok) open.set(end.shell, record);
        if (open.size > MOST_OPEN) open.delete(open.keys().next().value ?? "");
        return null;
      }
      const begun = open.get(end.shell);
      if (begun === undefined || end.exitCode === null) return null;
      open.delete(end.shell);
      const { timestamp, output } = record;
      const began = begun.timestamp - (begun.durationMs ?? 0);
      return {
        ...begun,
        id: record.id,
        output,
        ok: end.exitCode === 0,
        exitCode: end.exitCode,
        durationMs: timestamp - began,
        timestamp,
      };
    },
  };
}
