import { failure, WorkflowError } from "@uncaged/workflow-protocol";

/** Wraps an error of the client: `what` names the operation and the bucket. Ours pass through. */
export function s3Failed(what: string, cause: unknown): WorkflowError {
  if (cause instanceof WorkflowError) return cause;
  const name = nameOf(cause);
  const reason = cause instanceof Error && cause.message !== name ? cause.message : "";
  const said = [name, reason].filter((part) => part !== "" && part !== "Error").join(": ");
  const hint = HINTS[name] ?? (isPassing(cause) ? AWAY : "check the bucket and the rights to it");
  const words = `cannot ${what}: ${said || `status ${statusOf(cause)}`}`;
  return new WorkflowError(failure("STORAGE_FAILED", words, hint), { cause });
}

const AWAY = "check that the service can be reached, then try again";

const CREDENTIALS =
  "give credentials where AWS programs look for them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ~/.aws, or a role of the machine";

const HINTS: { readonly [name: string]: string } = {
  AccessDenied: "give these credentials the right to read, write, delete and list there",
  CredentialsProviderError: CREDENTIALS,
  ExpiredToken: CREDENTIALS,
  InvalidAccessKeyId: CREDENTIALS,
  NoSuchBucket: "create the bucket, or give the storage root another one",
  PermanentRedirect: "name the region of the bucket: AWS_REGION",
  SignatureDoesNotMatch: CREDENTIALS,
};

/** The same call may succeed later: the service is away, slow or busy, or the connection broke. */
export function isPassing(cause: unknown): boolean {
  if (cause instanceof WorkflowError || nameOf(cause) === "CredentialsProviderError") return false;
  const status = statusOf(cause);
  return status === null || status === 200 || status >= 500 || status === 408 || status === 429;
}

/** Of the service's answer; null: there was none. */
export function statusOf(cause: unknown): number | null {
  if (typeof cause !== "object" || cause === null || !("$metadata" in cause)) return null;
  const data = cause.$metadata;
  if (typeof data !== "object" || data === null || !("httpStatusCode" in data)) return null;
  return typeof data.httpStatusCode === "number" ? data.httpStatusCode : null;
}

export function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : "";
}
