/** Checks what coordinating steps noted: each note can be read, and follows from those before it. */
import { type Chain, type ChainState, isNote, isRound } from "../chain/chain.ts";
import { noteOf, type StoredNote } from "../chain/notes.ts";

/** The notes that cannot be, each with why. */
export function verifyNotes(chain: Chain): { hash: string; message: string }[] {
  const found: { hash: string; message: string }[] = [];
  let seen = nothingYet();
  for (const state of chain.states) {
    if (isRound(state)) seen = nothingYet();
    if (!isNote(state)) continue;
    const note = noteOf(state);
    const message = note === null ? "its note cannot be read" : faultOf(note, seen);
    if (message !== null) found.push({ hash: state.hash, message });
  }
  return found;
}

/** The note in which the worker of this one was started; null: it is about none, or there is none. */
export function spawnOf(chain: Chain, state: ChainState): string | null {
  const meta = noteOf(state)?.meta;
  if (meta === undefined || !("worker" in meta)) return null;
  const before = chain.states.slice(0, chain.states.indexOf(state));
  const spawn = before.findLast((each) => {
    const started = noteOf(each)?.meta;
    return started?.kind === "spawn" && started.worker === meta.worker;
  });
  return spawn?.hash ?? null;
}

type Seen = {
  /** Turn that each worker is in. */
  turns: Map<string, number>;
  /** `w1.1`: ends that were noted, and those that were told. */
  ended: Set<string>;
  told: Set<string>;
};

const nothingYet = (): Seen => ({ turns: new Map(), ended: new Set(), told: new Set() });

function faultOf({ meta }: StoredNote, { turns, ended, told }: Seen): string | null {
  if (meta.kind === "turn") return null;
  if (meta.kind === "delivered") {
    const unknown = meta.notices.find((notice) => !ended.has(notice));
    const again = meta.notices.find((notice) => told.has(notice));
    for (const notice of meta.notices) told.add(notice);
    if (unknown !== undefined) return `it tells of the end ${unknown}, which was not noted`;
    return again === undefined ? null : `it tells of the end ${again} a second time`;
  }
  const { worker } = meta;
  const turn = turns.get(worker);
  if (meta.kind === "spawn") {
    turns.set(worker, 1);
    return turn === undefined ? null : `worker ${worker} was started before`;
  }
  if (turn === undefined) return `worker ${worker} was not started`;
  const notice = `${worker}.${turn}`;
  if (meta.kind === "message") {
    turns.set(worker, turn + 1);
    return ended.has(notice) ? null : `worker ${worker} had not ended`;
  }
  if (meta.kind === "stop") return null;
  const isSecond = ended.has(notice);
  ended.add(notice);
  if (meta.turn !== turn) return `worker ${worker} was in turn ${turn}, not ${meta.turn}`;
  return isSecond ? `worker ${worker} had ended` : null;
}
