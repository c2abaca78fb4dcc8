import { type ServerReport, serverReport } from "@uncaged/workflow-execute";
import { isShared } from "@uncaged/workflow-util";
import { withoutPassword } from "../root/without-password.ts";
import { type Check, type DoctorContext, doubtful, fine, wrong } from "./check.ts";

const NAME = "server";
/** Of the clock; times in lists are still right to the second. */
const MOST_APART_MS = 2_000;

/** Checks that the server of a shared root can be reached and is new enough, that its bucket answers, and that its clock
 *  and this machine's agree. */
export async function checkServer({ root }: DoctorContext): Promise<Check> {
  const report = isShared(root) ? await serverReport(root) : null;
  if (report === null) return fine(NAME, "none: this storage root is in its folder");
  const { version, major, leastMajor, aheadMs } = report;
  const said = `PostgreSQL ${version} at ${addressOf(report)}, root ${report.place.name}`;
  if (major < leastMajor)
    return wrong(NAME, said, `upgrade the server to PostgreSQL ${leastMajor} or later`);
  const clock = `its clock is ${Math.abs(aheadMs)} ms ${aheadMs < 0 ? "behind" : "ahead"}`;
  if (Math.abs(aheadMs) > MOST_APART_MS)
    return doubtful(
      NAME,
      `${said}; ${clock}`,
      "set the clocks by NTP: leases are counted by the server's, but times in lists are this machine's",
    );
  const bucket = report.place.s3 === null ? "" : `; ${report.place.s3} answers`;
  return fine(NAME, `${said}; ${clock}${bucket}`);
}

function addressOf({ place: { postgres } }: ServerReport): string {
  return postgres.kind === "embedded" ? postgres.folder : withoutPassword(postgres.url);
}
