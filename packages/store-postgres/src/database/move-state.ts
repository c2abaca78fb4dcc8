import { type Failure, failure } from "@uncaged/workflow-protocol";
import type { ClientBase } from "pg";
import type { Database } from "./database.ts";
import { textIn } from "./fields.ts";

/** `arriving`: the root is being moved to here from `place`, and is not whole. `left`: it was moved to `place`. Places are
 *  words for people, and equal when they mean the same. null: it is here. */
export type MoveState = { state: "arriving" | "left"; place: string } | null;

export async function moveStateOf(client: ClientBase, schema: string): Promise<MoveState> {
  const { rows } = await client.query(`SELECT state, place FROM ${schema}.moves`);
  return stateIn(rows[0]);
}

export async function readMoveState(database: Database): Promise<MoveState> {
  const { rows } = await database.query("read where the root is", { text: STATE });
  return stateIn(rows[0]);
}

export function movedFailure({ state, place }: NonNullable<MoveState>, what: string): Failure {
  if (state === "left")
    return failure(
      "STORAGE_MOVED",
      `${what} was moved to ${place}`,
      "use it there; on another machine, in a new folder: uncaged-workflow root init --postgres <url>",
    );
  return failure(
    "STORAGE_MOVED",
    `${what} is being moved here from ${place}, and is not whole yet`,
    "finish it there, with the same uncaged-workflow root move; until then use it there",
  );
}

const STATE = "SELECT state, place FROM moves";

function stateIn(row: unknown): MoveState {
  if (row === undefined) return null;
  const state = textIn(row, "state");
  return { state: state === "left" ? "left" : "arriving", place: textIn(row, "place") };
}
