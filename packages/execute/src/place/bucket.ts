import type { BigBlobs } from "@uncaged/workflow-protocol";
import type { RootPlace } from "./root-place.ts";

/** The bucket of a root, where each root has a prefix of its own; null: it has none. Loaded on demand: it brings the AWS
 *  SDK. */
export async function bucketOf({
  s3,
  name,
}: RootPlace): Promise<(BigBlobs & { close(): void }) | null> {
  if (s3 === null) return null;
  const { bucketPlace, openS3Blobs } = await import("@uncaged/workflow-blobs-s3");
  const place = bucketPlace(s3);
  return openS3Blobs({ ...place, prefix: place.prefix === "" ? name : `${place.prefix}/${name}` });
}

/** Throws `STORAGE_FAILED` when the bucket of a root does not answer these credentials. */
export async function askBucket(place: RootPlace): Promise<void> {
  const blobs = await bucketOf(place);
  if (blobs === null) return;
  try {
    // Nothing has this name.
    await blobs.get({ hash: "0000000000000", sha256: "0".repeat(64), copy: "0" });
  } finally {
    blobs.close();
  }
}
