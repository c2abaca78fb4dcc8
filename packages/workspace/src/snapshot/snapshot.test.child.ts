/** Takes a snapshot of a folder as whoever runs this, and prints it: `<folder> <keep>`. */
import { findRepository } from "../repository/find-repository.ts";
import { takeSnapshot } from "./take-snapshot.ts";

const [folder = "", keep = ""] = process.argv.slice(2);
const found = await findRepository(folder);
if (!found.ok || found.value === null) throw new Error(`${folder} is in no repository`);
console.log(JSON.stringify(await takeSnapshot({ repository: found.value, keep })));
