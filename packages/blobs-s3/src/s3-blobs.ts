/** Large blobs as objects of a bucket: `<prefix>/<SHA-256>/<hash>-<copy>`.
 *
 *  Credentials and region come from where every AWS program of this machine has them (environment, shared files, role of
 *  the machine); nothing of them is kept in the storage root. */
import { constants } from "node:buffer";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import {
  type BigBlobCopy,
  type BigBlobs,
  failure,
  isHash,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { randomTag } from "@uncaged/workflow-util";
import type { BucketPlace } from "./bucket-place.ts";
import { nameOf, statusOf } from "./failures.ts";
import { type Attempt, type Patience, patiently } from "./patiently.ts";

const PATIENCE: Patience = {
  attempts: 4,
  attemptMs: 10_000,
  pauseMs: 400,
  bytesPerSec: 128 * 1024,
};

/** The client's connections are closed by `close`. Throws nothing: whether the bucket can be reached is told by the first
 *  call. */
export function openS3Blobs(
  place: BucketPlace,
  patience: Patience = PATIENCE,
): BigBlobs & { close(): void } {
  const { bucket } = place;
  const client = new S3Client(clientConfig(place));
  const prefix = place.prefix === "" ? "" : `${place.prefix}/`;
  const keyOf = ({ hash, sha256, copy }: BigBlobCopy): string =>
    `${prefix}${sha256}/${hash}-${copy}`;
  const call = <T>(what: string, attempt: Attempt<T>): Promise<T> =>
    patiently(`${what} in the bucket ${bucket}`, patience, attempt);
  return {
    async put(hash, sha256, bytes) {
      const digest = createHash("sha256").update(bytes).digest();
      if (digest.toString("hex") !== sha256) throw corrupt(hash, "its bytes have another digest");
      const copy = { hash, sha256, copy: randomTag(20) };
      const command = {
        Bucket: bucket,
        Key: keyOf(copy),
        Body: bytes,
        // The service refuses what does not arrive whole.
        ChecksumSHA256: digest.toString("base64"),
      };
      await call(`store blob ${hash}`, (abortSignal, allow) => {
        allow(bytes.length);
        return client.send(new PutObjectCommand(command), { abortSignal });
      });
      return copy;
    },
    get: (copy) =>
      call(`read blob ${copy.hash}`, async (abortSignal, allow) => {
        try {
          const command = new GetObjectCommand({ Bucket: bucket, Key: keyOf(copy) });
          const { Body, ContentLength } = await client.send(command, { abortSignal });
          allow(ContentLength ?? 0);
          const bytes = await bytesOf(copy.hash, Body);
          const digest = createHash("sha256").update(bytes).digest("hex");
          if (digest !== copy.sha256) throw corrupt(copy.hash, "its bytes have another digest");
          return bytes;
        } catch (cause) {
          // A bucket that is not there answers alike, and says so.
          if (statusOf(cause) === 404 && nameOf(cause) !== "NoSuchBucket") return null;
          throw cause;
        }
      }),
    async delete(copy) {
      const command = { Bucket: bucket, Key: keyOf(copy) };
      await call(`delete blob ${copy.hash}`, async (abortSignal) => {
        await client.send(new DeleteObjectCommand(command), { abortSignal });
      });
    },
    async *list(untilMs) {
      for (let from: string | undefined, more = true; more; ) {
        const command = { Bucket: bucket, Prefix: prefix, ContinuationToken: from };
        const page = await call("list the blobs", (abortSignal) =>
          client.send(new ListObjectsV2Command(command), { abortSignal }),
        );
        for (const { Key = "", LastModified } of page.Contents ?? []) {
          const copy = copyOf(Key.slice(prefix.length));
          const atMs = LastModified?.getTime() ?? Number.POSITIVE_INFINITY;
          if (copy !== null && atMs <= untilMs) yield copy;
        }
        from = page.NextContinuationToken;
        more = from !== undefined;
      }
    },
    close: () => client.destroy(),
  };
}

function clientConfig({ endpoint }: BucketPlace): S3ClientConfig {
  return {
    // Attempts are counted in `patiently`, which also covers the bytes after the answer has begun.
    maxAttempts: 1,
    // Services that are not Amazon's do not know the newer checksums; we check more than they do.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(endpoint === null
      ? {}
      : { endpoint, forcePathStyle: true, region: process.env.AWS_REGION ?? "us-east-1" }),
  };
}

const NAME = /^([0-9a-f]{64})\/([0-9A-Z]+)-([0-9A-Z]+)$/u;

/** null: somebody else's object. */
function copyOf(name: string): BigBlobCopy | null {
  const [, sha256 = "", hash = "", copy = ""] = NAME.exec(name) ?? [];
  return isHash(hash) ? { hash, sha256, copy } : null;
}

/** A server that does not stop would fill the memory. */
async function bytesOf(hash: string, body: unknown): Promise<Buffer> {
  if (!(body instanceof Readable)) throw corrupt(hash, "it came without bytes");
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    // No text can be longer.
    if (length > constants.MAX_STRING_LENGTH) throw corrupt(hash, "it does not end");
  }
  return Buffer.concat(chunks);
}

function corrupt(hash: string, found: string): WorkflowError {
  return new WorkflowError(
    failure(
      "CAS_CORRUPT",
      `blob ${hash} is damaged: ${found}`,
      "check the whole store: uncaged-workflow cas fsck",
    ),
  );
}
