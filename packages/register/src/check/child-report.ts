/** What the locked child says about a bundle, and the frame it says it in. */
import type { HookTargets } from "../externals/external-hooks.ts";

/** Given on standard input, a line of JSON; the bundle's bytes follow. */
export type ChildOrder = {
  /** Random. Only who read standard input knows it, and that happens before the bundle runs. */
  token: string;
  /** URL under which the bundle is imported: where it will stand when it is run. */
  bundleUrl: string;
  hooks: HookTargets;
};

/** File descriptor of the reports: standard output belongs to the bundle. */
export const REPORT_FD = 3;

/** A larger descriptor is refused: it is shown, stored and drawn. */
export const MAX_DESCRIPTOR_BYTES: number = 4 * 1024 * 1024;

export type ChildReport =
  /** The child stands and the bundle is about to be imported: from here on its time counts. */
  | { kind: "loading" }
  | {
      kind: "loaded";
      /** Name and `typeof` of each export. */
      exports: readonly { name: string; type: string }[];
      descriptor: { kind: "json"; value: unknown } | { kind: "not-json" } | { kind: "too-large" };
    }
  /** What it tried to do and may not, as the end of a sentence. Told at once, whatever comes after it. */
  | { kind: "attempt"; attempt: string }
  | {
      kind: "failed";
      /** `import`: evaluating it threw. `later`: it came to rest with an error that nobody caught. */
      when: "import" | "later";
      error: ReportedError;
    };

export type ReportedError = {
  name: string;
  message: string;
  /** Node's code, such as `ERR_ACCESS_DENIED`. */
  code: string | null;
  /** What the permission model denied, such as `FileSystemWrite`, and to what. */
  permission: string | null;
  resource: string | null;
  /** What a `WorkflowError` carries besides its message. */
  failure: { code: string; hint: string } | null;
  /** Line and column in the bundle, as `12:34`. */
  at: string | null;
};
