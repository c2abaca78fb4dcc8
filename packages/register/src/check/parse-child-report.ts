import { parseJson } from "@uncaged/workflow-protocol";
import type { ChildReport, ReportedError } from "./child-report.ts";

/** Parses a report; null when it does not have the shape of one. The child is ours, but the bundle runs inside it. */
export function parseChildReport(json: string): ChildReport | null {
  const report = parsed(json);
  if (report === null) return null;
  if (report.kind === "loading") return { kind: "loading" };
  if (report.kind === "attempt") {
    const { attempt } = report;
    return typeof attempt === "string" ? { kind: "attempt", attempt } : null;
  }
  if (report.kind === "failed") return failedReport(report);
  return report.kind === "loaded" ? loadedReport(report) : null;
}

type Fields = { readonly [name: string]: unknown };

function failedReport(report: Fields): ChildReport | null {
  const { when, error } = report;
  if ((when !== "import" && when !== "later") || !isObject(error)) return null;
  return { kind: "failed", when, error: reportedError(error) };
}

function reportedError(error: Fields): ReportedError {
  return {
    name: textOrNull(error.name) ?? "Error",
    message: textOrNull(error.message) ?? "",
    code: textOrNull(error.code),
    permission: textOrNull(error.permission),
    resource: textOrNull(error.resource),
    failure: carried(error.failure),
    at: textOrNull(error.at),
  };
}

function carried(value: unknown): ReportedError["failure"] {
  if (!isObject(value)) return null;
  const { code, hint } = value;
  return typeof code === "string" && typeof hint === "string" ? { code, hint } : null;
}

function loadedReport(report: Fields): ChildReport | null {
  const { exports, descriptor } = report;
  if (!Array.isArray(exports) || !isObject(descriptor)) return null;
  const named: { name: string; type: string }[] = [];
  for (const item of exports) {
    if (!isObject(item) || typeof item.name !== "string" || typeof item.type !== "string")
      return null;
    named.push({ name: item.name, type: item.type });
  }
  const { kind } = descriptor;
  if (kind === "json") {
    const json = { kind, value: descriptor.value } as const;
    return { kind: "loaded", exports: named, descriptor: json };
  }
  if (kind !== "not-json" && kind !== "too-large") return null;
  return { kind: "loaded", exports: named, descriptor: { kind } };
}

function parsed(json: string): Fields | null {
  const value = parseJson(json);
  return isObject(value) ? value : null;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
