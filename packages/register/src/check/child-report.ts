/** What the locked child reports about a bundle, and the frame around each report. */
import type { HookTargets } from "../externals/external-hooks.ts";

/** Passed on standard input, one line of JSON; the bundle's bytes follow. */
export type ChildOrder = {
  /** Random. Only code that reads standard input before the bundle runs can know it. */
  token: string;
  /** URL under which the bundle is imported: its location when it will be run. */
  bundleUrl: string;
  hooks: HookTargets;
};

/** File descriptor for the reports: standard output belongs to the bundle. */
export const REPORT_FD = 3;

/** A larger descriptor is refused, because it is shown, stored and drawn. */
export const MAX_DESCRIPTOR_BYTES: number = 4 * 1024 * 1024;

export type ChildReport =
  /** The child is ready and about to import the bundle: its time starts now. */
  | { kind: "loading" }
  | {
      kind: "loaded";
      /** Name and `typeof` of each export. */
      exports: readonly { name: string; type: string }[];
      descriptor: { kind: "json"; value: unknown } | { kind: "not-json" } | { kind: "too-large" };
    }
  /** What it tried to do and may not, as the end of a sentence. Reported at once, whatever comes after it. */
  | { kind: "attempt"; attempt: string }
  | {
      kind: "failed";
      /** `import`: evaluating it threw. `later`: it left an error that nobody caught. */
      when: "import" | "later";
      error: ReportedError;
    };

export type ReportedError = {
  name: string;
  message: string;
  /** Node's code, such as `ERR_ACCESS_DENIED`. */
  code: string | null;
  /** What the permission model denied, such as `FileSystemWrite`, and for which resource. */
  permission: string | null;
  resource: string | null;
  /** What a `WorkflowError` carries in addition to its message. */
  failure: { code: string; hint: string } | null;
  /** Line and column in the bundle, as `12:34`. */
  at: string | null;
};
