/** A root in PostgreSQL, on its way. */
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { indexTables, tableCopy } from "@uncaged/workflow-store";
import type { MovingRoot } from "@uncaged/workflow-store-postgres";
import { postgres, urlOf } from "../place/open-parts.ts";
import type { RootPlace } from "../place/root-place.ts";
import { storageOn } from "../storage/open-storage.ts";
import type { Destination, MovingEnd, MovingSource } from "./moving-end.ts";

/** In words, without user and password. */
export function postgresPlace({ postgres: at, name }: RootPlace): string {
  if (at.kind === "embedded") return `the root ${name} of PostgreSQL in ${at.folder}`;
  const { host, pathname } = new URL(at.url);
  return `the root ${name} of postgres://${host}${pathname}`;
}

/** Throws `STORAGE_FAILED` or `STORAGE_NEWER`. */
export async function leavingPostgres(root: string, place: RootPlace): Promise<MovingSource> {
  const { openPostgresLeaving } = await postgres();
  const url = await urlOf(root, place);
  const made = await openPostgresLeaving({ url, root: place.name });
  return { ...(await endOn(made, { root, place, url })), leave: made.leave };
}

/** Makes the tables. Throws what `leavingPostgres` throws. */
export async function postgresDestination(root: string, place: RootPlace): Promise<Destination> {
  const { openPostgresArriving } = await postgres();
  const url = await urlOf(root, place);
  const made = await openPostgresArriving({ url, root: place.name });
  let opened: MovingEnd | null = null;
  return {
    place: postgresPlace(place),
    state: stateOf(made.state, await made.isOccupied()),
    async open(from) {
      if (made.state === null && !(await made.arrive(from)))
        throw new WorkflowError(
          failure("TARGET_EXISTS", `${postgresPlace(place)} has just come into use`, OTHER_NAME),
        );
      const end = await endOn(made, { root, place, url });
      opened = end;
      return {
        ...end,
        addHistory: made.addHistory,
        settle: async () => made.settle(await indexTables()),
      };
    },
    arrived: made.arrived,
    close: async () => (opened === null ? made.index.threads.close() : opened.close()),
  };
}

const OTHER_NAME = "choose another name for the root there: --name <name>";

function stateOf(
  state: { state: "arriving" | "left"; place: string } | null,
  isOccupied: boolean,
): Destination["state"] {
  if (state?.state === "arriving") return { kind: "unfinished", from: state.place };
  if (state === null && !isOccupied) return { kind: "new" };
  return { kind: "in use", hint: OTHER_NAME };
}

async function endOn(
  { database, index, perform, records }: MovingRoot,
  { root, place, url }: { root: string; place: RootPlace; url: string },
): Promise<MovingEnd> {
  const { postgresBundles, postgresLiveLog, postgresRegistry } = await postgres();
  const { cas, threads } = await storageOn(index, { root, kind: "packed", place });
  const live = postgresLiveLog(database, { url });
  return {
    place: postgresPlace(place),
    threads,
    cas,
    tables: tableCopy(perform),
    registry: postgresRegistry(database),
    bundles: postgresBundles(database),
    live,
    history: records,
    now: () => database.now(Date.now()),
    close: async () => {
      await live.close();
      await cas.close();
      await threads.close();
    },
  };
}
