import type { RunResult } from "./run-workflow.ts";

/** Throws when the run took another route, with both routes side by side and the rules that were taken. */
export function expectRoute(result: RunResult, expected: readonly string[]): void {
  const { route } = result;
  if (route.length === expected.length && route.every((to, at) => to === expected[at])) return;
  throw new Error(differenceOf(result, expected));
}

const NOTHING = "(nothing)";

function differenceOf({ route, routes, failure }: RunResult, expected: readonly string[]): string {
  const width = Math.max(...[...expected, "expected", NOTHING].map((to) => to.length));
  const rows = Array.from({ length: Math.max(route.length, expected.length) }, (_, at) => {
    const mark = route[at] === expected[at] ? " " : "≠";
    const taken = routes[at];
    const why =
      taken === undefined ? NOTHING : `${taken.to}  (${taken.condition} from ${taken.from})`;
    return `${mark} ${(expected[at] ?? NOTHING).padEnd(width)}  ${why}`;
  });
  const broke = failure === null ? [] : [`the run failed: ${failure.code}: ${failure.message}`];
  return [
    "the run took another route",
    `  ${"expected".padEnd(width)}  taken`,
    ...rows,
    ...broke,
  ].join("\n");
}
