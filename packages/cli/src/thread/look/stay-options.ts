/** Whether the caller that starts or continues a thread stays with it. */
import { type Given, type Option, switchOption } from "../../command/options.ts";

const wait: Option<boolean> = switchOption("--wait", "stay until the thread ends");
const live: Option<boolean> = switchOption("--live", "stay, and show what its agents say and do");

export const stayOptions: readonly Option<boolean>[] = [wait, live];

export type Stay = "background" | "wait" | "live";

export function stayOf(given: Given): Stay {
  return given(live) ? "live" : given(wait) ? "wait" : "background";
}
