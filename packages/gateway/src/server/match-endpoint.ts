import { ENDPOINTS, type EndpointName, isGatewayEndpoint } from "../contract/api.ts";

type Pattern = { name: EndpointName; method: string; parts: readonly string[] };

/** By how many parts they have. A fixed word goes before a parameter. */
const PATTERNS = {
  engine: byLength((name) => !isGatewayEndpoint(name)),
  gateway: byLength(isGatewayEndpoint),
};

function byLength(isWanted: (name: EndpointName) => boolean): Map<number, Pattern[]> {
  const patterns = (Object.keys(ENDPOINTS) as EndpointName[]).filter(isWanted).map((name) => {
    const { method, path } = ENDPOINTS[name];
    return { name, method, parts: path.split("/") };
  });
  return Map.groupBy(
    patterns.sort((a, b) => parameters(a) - parameters(b)),
    ({ parts }) => parts.length,
  );
}

/** `method`: there is one at this path, with another method. */
export type Match = { name: EndpointName } | "method" | null;

/** The endpoint of an engine for a path behind `/api/c/:client`, or one of the gateway's own. */
export function matchEndpoint(method: string, path: string, whose: "engine" | "gateway"): Match {
  const parts = path.split("/");
  const ofLength = PATTERNS[whose].get(parts.length) ?? [];
  const best = ofLength.find((each) => each.method === method && fits(each.parts, parts));
  if (best !== undefined) return { name: best.name };
  return ofLength.some((each) => fits(each.parts, parts)) ? "method" : null;
}

function fits(own: readonly string[], given: readonly string[]): boolean {
  return own.every((part, at) => (part.startsWith(":") ? given[at] !== "" : part === given[at]));
}

function parameters({ parts }: Pattern): number {
  return parts.filter((part) => part.startsWith(":")).length;
}
