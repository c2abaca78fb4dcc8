export { type BucketPlace, bucketPlace } from "./bucket-place.ts";
export type { Patience } from "./patiently.ts";
export { openS3Blobs } from "./s3-blobs.ts";
