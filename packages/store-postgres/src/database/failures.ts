import { failure, WorkflowError } from "@uncaged/workflow-protocol";

/** Wraps an error of PostgreSQL or of the connection: `what` names the operation and the database. Errors that are already
 *  ours pass through. */
export function postgresFailed(what: string, cause: unknown): WorkflowError {
  if (cause instanceof WorkflowError) return cause;
  // Raised by the triggers of a root that was moved while this process had it open.
  if (codeOf(cause) === "UWF02")
    return new WorkflowError(
      failure(
        "STORAGE_MOVED",
        `cannot ${what}: ${reasonOf(cause)}`,
        "end this program and start it again",
      ),
      { cause },
    );
  const hint = hintFor(cause);
  return new WorkflowError(failure("STORAGE_FAILED", `cannot ${what}: ${reasonOf(cause)}`, hint), {
    cause,
  });
}

function hintFor(cause: unknown): string {
  if (isAway(cause)) return "check that the server runs and can be reached, then try again";
  if (isUnreadableFile(cause))
    return "sslrootcert, sslcert and sslkey of the URL name files that this user can read";
  if (isRefusedOption(cause)) return "end this program and start it again";
  if (cause instanceof Error && NO_TLS.test(cause.message))
    return "switch ssl on at the server; or take sslmode out of the URL, if nobody else can listen on the way";
  return HINTS[codeOf(cause)] ?? "see the log of the server";
}

/** A pooler of connections does not pass on what is set at the beginning of a session. */
export function isRefusedOption(cause: unknown): boolean {
  return cause instanceof Error && /^unsupported startup parameter/u.test(cause.message);
}

/** A certificate or a key that the URL names. */
function isUnreadableFile(cause: unknown): boolean {
  return (
    cause instanceof Error &&
    "syscall" in cause &&
    /^(open|read)$/u.test(`${cause.syscall}`) &&
    "path" in cause
  );
}

const NO_TLS = /does not support SSL/u;

/** True when the connection broke, could not be made, or the server was busy with itself: the same statement may succeed
 *  later. Whether it was carried out is not known. */
export function isAway(thrown: unknown): boolean {
  const cause = thrown instanceof WorkflowError ? thrown.cause : thrown;
  if (!(cause instanceof Error)) return false;
  if (cause instanceof AggregateError) return cause.errors.some(isAway);
  if (isUnreadableFile(cause) || isRefusedOption(cause) || UNKNOWN.test(cause.message))
    return false;
  const code = codeOf(cause);
  return AWAY.has(code) || code.startsWith("08") || BROKEN.test(cause.message);
}

/** Of the system (`ECONNREFUSED`) or of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const AWAY = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ENOENT", // the socket of a local server that is starting
  "40001",
  "40P01", // a deadlock: the other one went on
  "53300", // too many connections
  "25P03", // idle in a transaction for too long: this process was frozen
  "57P01",
  "57P02",
  "57P03",
  "25006", // a standby that has not been promoted yet
]);

/** What `pg` says without a code; and a statement that was prepared before a later version changed its table. */
const BROKEN =
  /^(cached plan must not|Connection terminated|Client has encountered|timeout e|Query read timeout)/;

/** A pooler of connections gives all that it refuses the code of a broken connection. */
const UNKNOWN = /^(no such (user|database)|password authentication failed)/;

const OTHER_AUTHORITY =
  "give the certificate of the authority that signed the server's: &sslrootcert=<path> in the URL";

const HINTS: { readonly [code: string]: string } = {
  "28P01": "check the user and the password of the URL",
  DEPTH_ZERO_SELF_SIGNED_CERT: OTHER_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: OTHER_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: OTHER_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: OTHER_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: OTHER_AUTHORITY,
  CERT_SIGNATURE_FAILURE: OTHER_AUTHORITY,
  CERT_HAS_EXPIRED: "renew the certificate of the server, and check the clock of this machine",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "put the host that the certificate names into the URL, or give the server a certificate for this one",
  "28000": "check the user of the URL, and pg_hba.conf of the server",
  "3D000": "create the database, or name another one in the URL",
  "42501":
    "give this role the right: it owns the schema of its root, or may create schemas in the database",
  "53100": "free some disk space on the server, then try again",
};

export function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join("; ");
  return cause instanceof Error ? cause.message : String(cause);
}
