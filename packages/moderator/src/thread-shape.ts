/** What expressions see of a thread, as a shape: `projection.ts` without a thread. */
import type { JsonObject } from "@uncaged/workflow-protocol";
import { ANY, oneOf, SCALAR, type Shape } from "./shape.ts";

/** Role → JSON Schema of its meta. */
export type RoleSchemas = { readonly [role: string]: JsonObject };

/** `last`: the role whose step is the last one; null: any role's. `names`: what is seen besides; nothing is known of
 *  it. */
export function threadShape(
  roles: RoleSchemas,
  last: string | null,
  names: readonly string[],
): Shape {
  const steps = new Map(
    Object.entries(roles).map(([role, schema]) => [role, stepShape(role, schema)]),
  );
  const any = oneOf([...steps.values()]);
  return object({
    ...Object.fromEntries(names.map((name) => [name, ANY])),
    threadId: SCALAR,
    depth: SCALAR,
    start: START_STEP,
    evidence: object({ valid: SCALAR, state: SCALAR, tree: SCALAR, round: SCALAR }),
    steps: { kind: "list", of: any },
    last: (last === null ? undefined : steps.get(last)) ?? any,
    byRole: {
      kind: "object",
      fields: new Map([...steps].map(([role, step]) => [role, historyShape(step, roles[role])])),
    },
  });
}

const START_STEP = object({
  role: SCALAR,
  content: SCALAR,
  meta: object({}),
  timestamp: SCALAR,
  parentState: SCALAR,
});

const STEP_GROUP = object({ name: SCALAR, entry: SCALAR, index: SCALAR, of: SCALAR });

function stepShape(role: string, schema: JsonObject): Shape {
  const fields = {
    role: SCALAR,
    meta: metaShape(schema),
    contentHash: SCALAR,
    refs: { kind: "list", of: SCALAR },
    timestamp: SCALAR,
    childThread: SCALAR,
    outcome: SCALAR,
    group: STEP_GROUP,
    run: ANY,
    proof: ANY,
  } as const;
  return { kind: "object", fields: new Map<string, Shape>(Object.entries(fields)), role };
}

/** A role that failed leaves how and why. */
function metaShape(schema: JsonObject): Shape {
  return oneOf([{ kind: "schema", schema, root: schema }, FAILED_META]);
}

const FAILED_META = object({ outcome: SCALAR, reason: SCALAR });

function historyShape(step: Shape, schema: JsonObject | undefined): Shape {
  const meta = schema === undefined ? ANY : metaShape(schema);
  return object({
    last: step,
    count: SCALAR,
    metas: { kind: "list", of: meta },
    tally: { kind: "tally", of: meta },
  });
}

function object(fields: { readonly [name: string]: Shape }): Shape {
  return { kind: "object", fields: new Map(Object.entries(fields)) };
}
