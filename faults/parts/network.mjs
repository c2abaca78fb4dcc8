/** A network of its own for one case, made by the kernel: machines are network namespaces, joined by a bridge. */
import { execFileSync } from "node:child_process";

/** What is reserved for trying networks out (RFC 2544): 198.18.0.0 to 198.19.255.255, 256 addresses for each of ours. */
const COUNT = 512;

/** `address`: where machines find who is outside of them. Of a machine that joined: the words that start a command there,
 *  and `cut` and `mend`, for both ways. Of what is sent while it is cut nothing arrives, and nobody is told.
 *  `close` wants all processes of the machines gone. */
export function openNetwork() {
  const { bridge, prefix } = makeBridge();
  const address = `${prefix}.1`;
  const ends = [];
  ip(`addr add ${address}/24 dev ${bridge}`);
  ip(`link set ${bridge} up`);
  return {
    address,
    join() {
      const end = `${bridge}-${ends.length}`;
      ip(`netns add ${end}`);
      ends.push(end);
      ip(`link add ${end} type veth peer name eth0 netns ${end}`);
      ip(`link set ${end} master ${bridge} up`);
      ip(`-n ${end} addr add ${prefix}.${ends.length + 1}/24 dev eth0`);
      ip(`-n ${end} link set eth0 up`);
      ip(`-n ${end} link set lo up`);
      return {
        words: ["ip", "netns", "exec", end],
        cut: () => ip(`link set ${end} nomaster`),
        mend: () => ip(`link set ${end} master ${bridge}`),
      };
    },
    close: () => remove(bridge, ends),
  };
}

/** Removes the networks of a run that this process did not close. */
export function closeNetworks() {
  for (const bridge of bridges) remove(bridge, endsOf(bridge));
}

const bridges = new Set();

/** Who makes the bridge has its number: another run may want the same. */
function makeBridge() {
  for (let no = 0; no < COUNT; no += 1) {
    const bridge = `faults${no}`;
    try {
      ip(`link add ${bridge} type bridge`);
    } catch (error) {
      if (String(error.stderr).includes("File exists")) continue;
      throw error;
    }
    bridges.add(bridge);
    return { bridge, prefix: `198.${18 + (no >> 8)}.${no & 255}` };
  }
  throw new Error(`all ${COUNT} networks are in use`);
}

function endsOf(bridge) {
  const names = execFileSync("ip", ["netns", "list"], { encoding: "utf8" }).split(/\s+/);
  return names.filter((name) => name.startsWith(`${bridge}-`));
}

/** A namespace lasts as long as its last process; the wire goes at once, with both of its ends. */
function remove(bridge, ends) {
  for (const end of ends) {
    ip(`link del ${end}`);
    ip(`netns del ${end}`);
  }
  ip(`link del ${bridge}`);
  bridges.delete(bridge);
}

function ip(words) {
  execFileSync("ip", words.split(" "), { stdio: ["ignore", "ignore", "pipe"] });
}
