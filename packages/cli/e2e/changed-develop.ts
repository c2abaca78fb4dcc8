/** Changes to `develop` whose effect is known: each says what it does to the descriptor, and what
 *  it does to the plain model of the workflow that the check is compared with. */
import type { DescriptorEdge, WorkflowDescriptor } from "@uncaged/workflow-protocol";

/** A step as the model sees it. */
export type PlainStep = { role: string; meta: Record<string, unknown> };

/** A model of `develop` in plain TypeScript: where it goes next, and which results it accepts. */
export type Model = {
  next: (steps: readonly PlainStep[]) => string;
  accepts: (step: PlainStep) => boolean;
};

export type Change = {
  name: string;
  descriptor: (descriptor: WorkflowDescriptor) => WorkflowDescriptor;
  model: (model: Model) => Model;
};

export const DEVELOP: Model = {
  next(steps) {
    const last = steps.at(-1);
    const status = last?.meta.status;
    if (last === undefined) return "planner";
    if (last.role === "planner") return status === "aborted" ? "__end__" : "coder";
    if (last.role === "coder") return openPhases(steps) === 0 ? "reviewer" : "coder";
    if (last.role === "reviewer") return status === "approved" ? "tester" : "coder";
    if (last.role === "tester") return status === "passed" ? "committer" : "coder";
    return "__end__";
  },
  accepts: () => true,
};

function openPhases(steps: readonly PlainStep[]): number {
  const plan = steps.findLast(({ role }) => role === "planner")?.meta.phases;
  const done = new Set(
    steps.map(({ role, meta }) => (role === "coder" ? meta.completedPhase : "")),
  );
  const hashes = Array.isArray(plan) ? plan.map((phase: { hash: string }) => phase.hash) : [];
  return hashes.filter((hash) => !done.has(hash)).length;
}

/** The role to go to instead; null: no change. */
type Turn = (steps: readonly PlainStep[], last: PlainStep) => string | null;

function goesElsewhere(turn: Turn): Change["model"] {
  return (model) => ({
    ...model,
    next(steps) {
      const last = steps.at(-1);
      return (last === undefined ? null : turn(steps, last)) ?? model.next(steps);
    },
  });
}

function acceptsLess(refuses: (step: PlainStep) => boolean): Change["model"] {
  return (model) => ({ ...model, accepts: (step) => !refuses(step) && model.accepts(step) });
}

const same: Change["model"] = (model) => model;

function edges(
  change: (edges: readonly DescriptorEdge[]) => DescriptorEdge[],
): Change["descriptor"] {
  return (descriptor) => ({ ...descriptor, graph: { edges: change(descriptor.graph.edges) } });
}

function eachEdge(change: (edge: DescriptorEdge) => DescriptorEdge): Change["descriptor"] {
  return edges((all) => all.map(change));
}

function rule(from: string, to: string, when: string): DescriptorEdge {
  return { from, to, condition: "added", when, prompt: null, location: null };
}

/** A role's JSON Schema with other properties. */
function schemaOf(role: string, change: Record<string, unknown>): Change["descriptor"] {
  return (descriptor) => {
    const text = JSON.stringify(descriptor);
    const copy: WorkflowDescriptor = JSON.parse(text);
    const schema = copy.roles[role]?.schema;
    Object.assign(schema?.properties ?? {}, change);
    return copy;
  };
}

const count = (steps: readonly PlainStep[], role: string): number =>
  steps.filter((step) => step.role === role).length;

const first = (added: DescriptorEdge): Change["descriptor"] => edges((all) => [added, ...all]);

/** Changes that affect no thread. */
export const HARMLESS: readonly Change[] = [
  {
    name: "other prompts and names of conditions",
    descriptor: eachEdge((edge) => ({
      ...edge,
      prompt: "Go on.",
      condition: `${edge.condition}!`,
    })),
    model: same,
  },
  {
    name: "the same conditions, written otherwise",
    descriptor: eachEdge((edge) => ({
      ...edge,
      when: edge.when?.replace("last.meta.status", `byRole.${edge.from}.last.meta.status`) ?? null,
    })),
    model: same,
  },
  {
    name: "a rule for what never happens",
    descriptor: first(rule("reviewer", "planner", "last.meta.status = 'postponed'")),
    model: same,
  },
  {
    name: "a rule that is never tried",
    descriptor: edges((all) => [...all, rule("tester", "planner", "true")]),
    model: same,
  },
  {
    name: "a rule for a role that fails",
    descriptor: edges((all) => [
      ...all,
      { ...rule("coder", "planner", "true"), when: null, outcomes: ["timeout"] },
    ]),
    model: same,
  },
  {
    name: "one more value that a result may have",
    descriptor: schemaOf("reviewer", {
      status: { type: "string", enum: ["approved", "rejected", "postponed"] },
    }),
    model: same,
  },
  {
    name: "one more field that a result may have",
    descriptor: schemaOf("tester", { seconds: { type: "number" } }),
    model: same,
  },
];

/** Changes that route some threads differently or reject some results. */
export const HARMFUL: readonly Change[] = [
  {
    name: "what was tested is not committed",
    descriptor: eachEdge((edge) => (edge.to === "committer" ? { ...edge, to: "__end__" } : edge)),
    model: goesElsewhere((_steps, { role, meta }) =>
      role === "tester" && meta.status === "passed" ? "__end__" : null,
    ),
  },
  {
    name: "a rejected change is planned anew",
    descriptor: first(rule("reviewer", "planner", "last.meta.status = 'rejected'")),
    model: goesElsewhere((_steps, { role, meta }) =>
      role === "reviewer" && meta.status === "rejected" ? "planner" : null,
    ),
  },
  {
    name: "a failure is looked at by the reviewer",
    descriptor: first(rule("tester", "reviewer", "last.meta.status = 'failed'")),
    model: goesElsewhere((_steps, { role, meta }) =>
      role === "tester" && meta.status === "failed" ? "reviewer" : null,
    ),
  },
  {
    name: "the coder gives up after the fifth step",
    descriptor: first(rule("coder", "__end__", "byRole.coder.count >= 5")),
    model: goesElsewhere((steps, { role }) =>
      role === "coder" && count(steps, "coder") >= 5 ? "__end__" : null,
    ),
  },
  {
    name: "a plan of three phases is asked about",
    descriptor: first(rule("planner", "__suspend__", "$count(last.meta.phases) >= 3")),
    model: goesElsewhere((_steps, { role, meta }) =>
      role === "planner" && Array.isArray(meta.phases) && meta.phases.length >= 3
        ? "__suspend__"
        : null,
    ),
  },
  {
    name: "the second review is the last",
    descriptor: first(rule("reviewer", "tester", "byRole.reviewer.count >= 2")),
    model: goesElsewhere((steps, { role }) =>
      role === "reviewer" && count(steps, "reviewer") >= 2 ? "tester" : null,
    ),
  },
  {
    name: "an aborted plan is coded all the same",
    descriptor: edges((all) => all.filter(({ condition }) => !condition.startsWith("planAborted"))),
    model: goesElsewhere((_steps, { role, meta }) =>
      role === "planner" && meta.status === "aborted" ? "coder" : null,
    ),
  },
  {
    name: "a commit has to be made",
    descriptor: schemaOf("committer", { commit: { type: "string" } }),
    model: acceptsLess(({ role, meta }) => role === "committer" && meta.commit === null),
  },
  {
    name: "a reviewer may not reject",
    descriptor: schemaOf("reviewer", { status: { type: "string", enum: ["approved"] } }),
    model: acceptsLess(({ role, meta }) => role === "reviewer" && meta.status === "rejected"),
  },
  {
    name: "the committer is called publisher",
    descriptor: ({ roles: { committer, ...others }, graph, ...rest }) => ({
      ...rest,
      roles: { ...others, ...(committer === undefined ? {} : { publisher: committer }) },
      graph: {
        edges: graph.edges.map((edge) => ({
          ...edge,
          from: edge.from === "committer" ? "publisher" : edge.from,
          to: edge.to === "committer" ? "publisher" : edge.to,
        })),
      },
    }),
    model: (model) => ({
      next: (steps) => {
        const to = model.next(steps);
        return to === "committer" ? "publisher" : to;
      },
      accepts: (step) => step.role !== "committer" && model.accepts(step),
    }),
  },
];
