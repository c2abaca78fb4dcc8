/** Leaves nothing of a run, however it came to its end: no process, no mount, no loop device, no network, no file. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { closeNetworks } from "./network.mjs";

/** `folder`: where the run has its storage roots. */
export function clearAway(folder) {
  for (const pid of processesUnder(folder)) endProcess(pid);
  for (const place of mountsUnder(folder)) execFileSync("umount", ["--lazy", place]);
  rmSync(folder, { recursive: true, force: true });
  closeNetworks();
}

function processesUnder(folder) {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`=${folder}/`);
    } catch {
      return false;
    }
  });
}

function mountsUnder(folder) {
  const places = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "");
  return places.filter((place) => place.startsWith(`${folder}/`));
}

function endProcess(pid) {
  try {
    process.kill(Number(pid), "SIGKILL");
  } catch {
    // It ended just now.
  }
}
