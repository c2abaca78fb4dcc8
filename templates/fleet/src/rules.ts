/** The moderator table of `fleet`. What the queue sends back goes to the lead again, twice at most. */
import { END, type ModeratorTable, START } from "@uncaged/workflow-runtime";
import type { FleetMeta } from "./roles.ts";

const LAND = `Land these parts:
{{ $join(last.meta.parts.("- " & task & " (branch " & branch & "): " & summary), "\\n") }}`;

const AGAIN = `The merge queue did not take everything. Landed: {{ $join(last.meta.landed, ", ") }}. Sent back:
{{ $join(last.meta.left.("- " & task & ": " & reason), "\\n") }}

Have these mended, on top of what has landed, and name only what is still to be landed.`;

export const fleetTable: ModeratorTable<FleetMeta> = {
  [START]: [{ condition: "FALLBACK", role: "lead" }],
  lead: [
    { condition: { name: "stuck", when: "last.meta.status = 'stuck'" }, role: END },
    {
      condition: { name: "somethingToLand", when: "$count(last.meta.parts) > 0" },
      role: "merger",
      prompt: LAND,
    },
    { condition: "FALLBACK", role: END },
  ],
  merger: [
    {
      condition: {
        name: "sentBack",
        when: "$count(last.meta.left) > 0 and byRole.lead.count < 3",
      },
      role: "lead",
      prompt: AGAIN,
    },
    { condition: "FALLBACK", role: END },
  ],
};
