import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inOrder } from "./in-order.mjs";

/** The packages that a build has packed into `folder`, each after those of them that it needs. */
export function packedPackages(folder) {
  const index = JSON.parse(readFileSync(join(folder, "packages.json"), "utf8"));
  const packages = Object.entries(index).map(([name, { version, file }]) => {
    const path = join(folder, file);
    return { name, version, file: path, needs: needsOf(path).filter((need) => need in index) };
  });
  return inOrder(packages);
}

function needsOf(tarball) {
  const text = execFileSync("tar", ["-xzOf", tarball, "package/package.json"], {
    encoding: "utf8",
  });
  const { dependencies = {}, peerDependencies = {}, optionalDependencies = {} } = JSON.parse(text);
  return Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
}
