import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { startParticipant } from "./start-participant.mjs";
import { SYSTEMS } from "./systems.mjs";

/** Opens a system in a process and a folder of its own, and prints its version. */
export async function openParticipant(name, scratch) {
  const folder = join(scratch, name);
  mkdirSync(folder);
  chmodSync(folder, 0o711);
  const participant = startParticipant();
  const { version } = await participant.ask("open", { name, folder });
  console.log(`  ${SYSTEMS[name].what} ${version}`.trimEnd());
  return { name, folder, participant, ...SYSTEMS[name] };
}
