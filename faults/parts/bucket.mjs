/** A bucket of an S3 server, behind a way to it on which requests can go wrong. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import S3rver from "s3rver";

/** Of the server; it knows no others. */
export const KEYS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };

/** `address`: where the way to it begins. `url` names the bucket. `disturb(what)`: from then on each request goes through
 *  `what(method)`, which says what becomes of it: `busy`, `silent`, `unanswered` (it is done, and nobody is told), `gone`
 *  or null. `objects()` are the files of what is stored; `put` and `lose` change one behind the server's back. */
export async function openBucket({ folder, address }) {
  // The engine in this process reads the bucket, too.
  Object.assign(process.env, KEYS);
  const directory = join(folder, "s3");
  mkdirSync(directory);
  const server = new S3rver({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory },
    configureBuckets: [{ name: "team", configs: [] }],
  });
  const { port } = await server.run();
  let fate = () => null;
  const way = createServer((incoming, outgoing) => {
    const what = fate(incoming.method);
    if (what === "gone") return incoming.socket.destroy();
    if (what === "silent") return incoming.resume();
    if (what === "busy") {
      incoming.resume();
      return outgoing.writeHead(503).end("<Error><Code>SlowDown</Code></Error>");
    }
    const { method, url, headers } = incoming;
    const onward = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
      if (what === "unanswered") return answer.resume().on("end", () => incoming.socket.destroy());
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise((resolve) => way.listen(0, address, resolve));
  const objects = () =>
    readdirSync(directory, { recursive: true })
      .filter((name) => name.endsWith("._S3rver_object"))
      .map((name) => join(directory, name));
  return {
    url: `http://${address}:${way.address().port}/team/root`,
    objects,
    disturb: (what) => {
      fate = what;
    },
    lose: (file) => rmSync(file),
    put: (file, bytes) => writeFileSync(file, bytes),
    async close() {
      way.closeAllConnections();
      way.close();
      await server.close();
    },
  };
}
