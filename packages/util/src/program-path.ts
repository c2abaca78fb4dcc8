import { access, constants, stat } from "node:fs/promises";
import { delimiter, resolve } from "node:path";

/** Where a program is: by path as it is given, or absolute by name on `PATH`, of which empty entries do not count. Null:
 *  nowhere. Never throws. */
export async function programPath(name: string, path: string | undefined): Promise<string | null> {
  if (name.includes("/")) return (await isProgram(name)) ? name : null;
  for (const folder of (path ?? "").split(delimiter)) {
    if (folder === "") continue;
    const place = resolve(folder, name);
    if (await isProgram(place)) return place;
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
