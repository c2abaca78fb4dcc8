/** What a value may be, as far as it can be known without a thread: of all that may stand there, never too little. */
import type { JsonValue } from "@uncaged/workflow-protocol";

export type Shape =
  /** Nothing is known. */
  | { kind: "any" }
  /** Text, number, boolean or null. */
  | { kind: "scalar" }
  /** An object with these fields and no others. `role`: it is a step of this role. */
  | { kind: "object"; fields: ReadonlyMap<string, Shape>; role?: string }
  | { kind: "list"; of: Shape }
  /** An object with the same fields as this, whose values are others. */
  | { kind: "tally"; of: Shape }
  /** What a JSON Schema allows; `root` is what its references are looked up in. */
  | { kind: "schema"; schema: JsonValue; root: JsonValue }
  /** Any one of these. */
  | { kind: "one"; of: readonly Shape[] };

export const ANY: Shape = { kind: "any" };
export const SCALAR: Shape = { kind: "scalar" };

/** The same without alternatives inside alternatives, and each of them once. */
export function oneOf(shapes: readonly Shape[]): Shape {
  const flat: Shape[] = [];
  const seen = new Set<unknown>();
  for (const shape of shapes.flatMap((each) => (each.kind === "one" ? each.of : [each]))) {
    if (shape.kind === "any") return ANY;
    const identity = identityOf(shape);
    if (seen.has(identity)) continue;
    seen.add(identity);
    flat.push(shape);
  }
  const [first = ANY, ...others] = flat;
  return others.length === 0 ? first : { kind: "one", of: flat };
}

function identityOf(shape: Shape): unknown {
  if (shape.kind === "scalar") return "scalar";
  // An object of a schema belongs to one root only; booleans are the same everywhere.
  return shape.kind === "schema" ? shape.schema : shape;
}

/** Items of those roles; what may be no step of a known role stays as it is. */
export function ofRoles(shape: Shape, roles: ReadonlySet<string>): Shape {
  if (shape.kind === "list") return { kind: "list", of: ofRoles(shape.of, roles) };
  const steps = shape.kind === "one" ? shape.of : [shape];
  const left = steps.filter(
    (step) => step.kind !== "object" || step.role === undefined || roles.has(step.role),
  );
  return left.length === 0 ? shape : oneOf(left);
}
