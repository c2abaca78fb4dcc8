import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { bigBlobsCases } from "@uncaged/workflow-cas/suite";
import S3rver from "s3rver";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { bucketPlace } from "./bucket-place.ts";
import type { Patience } from "./patiently.ts";
import { openS3Blobs } from "./s3-blobs.ts";

/** Of the test server; it knows no others. */
const KEYS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };
beforeEach(() => {
  for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value);
  return () => vi.unstubAllEnvs();
});

const bytes = Buffer.alloc(50_000, "bytes");
const sha256 = createHash("sha256").update(bytes).digest("hex");
const COPY = { hash: "50SJJZ7PQ2G6X", sha256, copy: "1" };
/** For a server that answers, however busy this machine is. */
const CALM = { attempts: 3, attemptMs: 2_000, pauseMs: 1, bytesPerSec: 1024 * 1024 };
/** For one that does not. Long enough for a request to arrive, on a busy machine, too. */
const HASTY = { ...CALM, attemptMs: 1_000 };

describe("with a server that keeps what it is given", () => {
  const directory = mkdtempSync(join(tmpdir(), "uwf-s3-"));
  let server: S3rver;
  let url = "";
  beforeAll(async () => {
    const configureBuckets = [{ name: "team", configs: [] }];
    server = new S3rver({
      address: "127.0.0.1",
      port: 0,
      silent: true,
      directory,
      configureBuckets,
    });
    url = `http://127.0.0.1:${(await server.run()).port}`;
  });
  afterAll(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  let count = 0;
  test.each(bigBlobsCases)("$name", async ({ run }) => {
    // A prefix of its own, so that each begins with nothing.
    const place = bucketPlace(`${url}/team/root-${++count}`);
    const blobs = openS3Blobs(place);
    const client = new S3Client({ endpoint: url, region: "us-east-1", forcePathStyle: true });
    try {
      await run({
        blobs,
        damage: async ({ hash, sha256: digest, copy }, Body) => {
          const Key = `${place.prefix}/${digest}/${hash}-${copy}`;
          await client.send(new PutObjectCommand({ Bucket: "team", Key, Body }));
        },
      });
    } finally {
      client.destroy();
      blobs.close();
    }
  });

  test("roots in one bucket do not see each other's blobs", async () => {
    const [one, two] = ["one", "one-more"].map((root) =>
      openS3Blobs(bucketPlace(`${url}/team/${root}`)),
    );
    const copy = await one?.put(COPY.hash, sha256, bytes);
    expect(await two?.get(copy ?? COPY)).toBeNull();
    for await (const other of two?.list(Number.MAX_SAFE_INTEGER) ?? []) expect(other).toBeNull();
    for await (const own of one?.list(Number.MAX_SAFE_INTEGER) ?? []) expect(own).toEqual(copy);
  });

  test("a bucket that is not there is no missing blob", async () => {
    const blobs = openS3Blobs(bucketPlace(`${url}/nobodys/root`));
    const failed = { failure: { code: "STORAGE_FAILED", hint: expect.stringContaining("bucket") } };
    await expect(blobs.get(COPY)).rejects.toMatchObject(failed);
    await expect(blobs.put(COPY.hash, sha256, bytes)).rejects.toMatchObject(failed);
  });

  test("keys that the service does not know are refused at once, and said to be", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "wrong");
    const blobs = openS3Blobs(bucketPlace(`${url}/team/root`));
    await expect(blobs.put(COPY.hash, sha256, bytes)).rejects.toMatchObject({
      failure: { code: "STORAGE_FAILED", hint: expect.stringContaining("credentials") },
    });
    expect(readdirSync(join(directory, "team")).filter((name) => name === "root")).toEqual([]);
  });
});

describe("with a hostile server", () => {
  /** Answers the n-th request. */
  async function against<T>(
    answer: (n: number) => RequestListener,
    use: (blobs: ReturnType<typeof openS3Blobs>) => Promise<T>,
    patience: Patience = CALM,
  ): Promise<{ requests: number; result: T }> {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      request.resume();
      answer(requests)(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const blobs = openS3Blobs(bucketPlace(`http://127.0.0.1:${port}/team/root`), patience);
    try {
      return { result: await use(blobs), requests };
    } finally {
      blobs.close();
      server.closeAllConnections();
      server.close();
    }
  }
  const failing = (code: string) => (blobs: ReturnType<typeof openS3Blobs>) =>
    expect(blobs.get(COPY)).rejects.toMatchObject({ failure: { code } });

  const busy: RequestListener = (_, response) =>
    response.writeHead(503).end("<Error><Code>SlowDown</Code></Error>");
  const whole: RequestListener = (_, response) => response.end(bytes);
  const never: RequestListener = () => {};
  const dripping: RequestListener = (_, response) => {
    response.writeHead(200, { "content-length": bytes.length });
    const timer = setInterval(() => response.write("x"), 50);
    response.on("close", () => clearInterval(timer));
  };
  const cut: RequestListener = (_, response) => {
    response.writeHead(200, { "content-length": bytes.length });
    response.write(bytes.subarray(1), () => response.destroy());
  };
  const wrong: RequestListener = (_, response) => response.end(Buffer.alloc(bytes.length, "other"));
  const short: RequestListener = (_, response) => response.end(bytes.subarray(1));
  const endless: RequestListener = (_, response) => {
    const more = (): void => {
      while (response.write(bytes)) if (response.destroyed) return;
      response.once("drain", more);
    };
    more();
  };
  const error =
    (code: string): RequestListener =>
    (_, response) =>
      response
        .writeHead(404, { "content-type": "application/xml" })
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>none</Message></Error>`);

  test.each([
    ["busy", busy],
    ["silent", never],
    ["too slow", dripping],
    ["cutting off", cut],
  ])("one that is %s for a moment is asked again", async (_, listener) => {
    const { requests, result } = await against(
      (n) => (n === 1 ? listener : whole),
      (blobs) => blobs.get(COPY),
    );
    expect(requests).toBe(2);
    expect(Buffer.from(result ?? [])).toEqual(bytes);
  });

  test.each([
    ["busy", busy, "STORAGE_FAILED", 3, CALM],
    ["silent", never, "STORAGE_FAILED", 3, HASTY],
    ["too slow", dripping, "STORAGE_FAILED", 3, HASTY],
    ["cutting off", cut, "STORAGE_FAILED", 3, CALM],
    ["endless", endless, "STORAGE_FAILED", 3, HASTY],
    ["wrong", wrong, "CAS_CORRUPT", 1, CALM],
    ["short", short, "CAS_CORRUPT", 1, CALM],
    ["without the bucket", error("NoSuchBucket"), "STORAGE_FAILED", 1, CALM],
  ])(
    "one that stays %s is a typed failure after few attempts",
    async (_, listener, code, times, patience) => {
      const { requests } = await against(() => listener, failing(code), patience);
      expect(requests).toBe(times);
    },
  );

  test("one that lost the object says so", async () => {
    const { result } = await against(
      () => error("NoSuchKey"),
      (blobs) => blobs.get(COPY),
    );
    expect(result).toBeNull();
  });

  test("a blob is stored once the service is well again, and its digest goes along", async () => {
    const digests: unknown[] = [];
    const { requests } = await against(
      (n) => (request, response) => {
        digests.push(request.headers["x-amz-checksum-sha256"]);
        (n < 3 ? busy : whole)(request, response);
      },
      (blobs) => blobs.put(COPY.hash, sha256, bytes),
    );
    expect(requests).toBe(3);
    expect(new Set(digests)).toEqual(new Set([Buffer.from(sha256, "hex").toString("base64")]));
  });

  test("nobody there is a failure that names the bucket", async () => {
    const blobs = openS3Blobs(bucketPlace("http://127.0.0.1:1/team/root"), HASTY);
    await expect(blobs.get(COPY)).rejects.toMatchObject({
      failure: { code: "STORAGE_FAILED", message: expect.stringContaining("bucket team") },
    });
  });
});

test("no credentials are a failure that says where they are looked for", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "");
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
  vi.stubEnv("AWS_CONFIG_FILE", "/dev/null");
  const blobs = openS3Blobs(bucketPlace("http://127.0.0.1:1/team/root"), HASTY);
  await expect(blobs.get(COPY)).rejects.toMatchObject({
    failure: { code: "STORAGE_FAILED", hint: expect.stringContaining("AWS_ACCESS_KEY_ID") },
  });
});

test.each([
  ["team", { bucket: "team", prefix: "", endpoint: null }],
  ["s3://team/a/b/", { bucket: "team", prefix: "a/b", endpoint: null }],
  ["http://minio:9000/team/a", { bucket: "team", prefix: "a", endpoint: "http://minio:9000" }],
])("%s is a place", (text, place) => {
  expect(bucketPlace(text)).toEqual(place);
});

test.each([
  "",
  "Team",
  "a",
  "http://minio:9000/",
  "https://key:secret@minio/team",
  "s3://team?x=1",
  "ftp://x/y",
])("%s is none", (text) => {
  expect(() => bucketPlace(text)).toThrow(/does not name a bucket/);
});
