import { failure, WorkflowError } from "@uncaged/workflow-protocol";

/** Where the objects are. */
export type BucketPlace = {
  bucket: string;
  /** Of all names, without a slash at its end; empty: none. */
  prefix: string;
  /** Of a service that is not Amazon's: `http://host:port`; null: Amazon's. */
  endpoint: string | null;
};

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u;

const PROTOCOLS = new Set(["s3:", "http:", "https:"]);

/** `team-bucket`, `s3://team-bucket/prefix`, or `https://host:port/team-bucket/prefix` for a service that is not Amazon's.
 *  Throws `USAGE` for anything else, such as a URL with credentials. */
export function bucketPlace(text: string): BucketPlace {
  const url = URL.parse(text.includes(":") ? text : `s3://${text}`);
  if (url === null || !PROTOCOLS.has(url.protocol)) throw unclear(text);
  if (url.username !== "" || url.password !== "" || url.search !== "") throw unclear(text);
  const path = url.pathname.split("/").filter((part) => part !== "");
  const ofAmazon = url.protocol === "s3:";
  const [bucket = "", ...prefix] = ofAmazon ? [url.host, ...path] : path;
  if (!BUCKET.test(bucket)) throw unclear(text);
  return { bucket, prefix: prefix.join("/"), endpoint: ofAmazon ? null : url.origin };
}

function unclear(text: string): WorkflowError {
  return new WorkflowError(
    failure(
      "USAGE",
      `${JSON.stringify(text)} does not name a bucket`,
      "give its name, s3://bucket/prefix, or https://host:port/bucket/prefix; credentials are where AWS programs look for them",
    ),
  );
}
