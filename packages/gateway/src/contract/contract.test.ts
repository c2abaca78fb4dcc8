import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Connection, call, ENDPOINTS, type EndpointName, pathOf } from "./index.ts";
import { failureSchema, SCHEMAS, serverEventSchema } from "./schemas.ts";

const names = Object.keys(ENDPOINTS) as EndpointName[];

describe("the contract", () => {
  test("names each method and path once", () => {
    const routes = names.map((name) => `${ENDPOINTS[name].method} ${ENDPOINTS[name].path}`);
    expect(new Set(routes).size).toBe(routes.length);
  });

  test("has a schema for each parameter of each path, and no other", () => {
    for (const name of names) {
      const inPath = [...ENDPOINTS[name].path.matchAll(/:(\w+)/g)].map(([, key]) => key);
      const { properties = {} } = z.toJSONSchema(SCHEMAS[name].path);
      expect([name, Object.keys(properties).sort()]).toEqual([name, inPath.sort()]);
    }
  });

  test("can be written as JSON Schema whole", () => {
    for (const name of names) {
      const { path, query, body, response } = SCHEMAS[name];
      for (const each of [path, query, response, ...(body === null ? [] : [body])]) {
        expect(z.toJSONSchema(each as z.ZodType)).toBeTypeOf("object");
      }
    }
    expect(z.toJSONSchema(serverEventSchema)).toBeTypeOf("object");
    expect(z.toJSONSchema(failureSchema)).toBeTypeOf("object");
  });

  test("changes nothing by a GET, and takes a body with anything else", () => {
    for (const name of names) {
      expect([name, SCHEMAS[name].body === null]).toEqual([name, ENDPOINTS[name].method === "GET"]);
      if (ENDPOINTS[name].method !== "GET") expect(ENDPOINTS[name].scope).not.toBe("read");
    }
  });

  test("needs nothing of Node, and the table and its calls nothing of Zod", () => {
    const folder = new URL(".", import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    for (const file of files.filter((each) => /(?<!\.test|helper)\.ts$/.test(each))) {
      const text = readFileSync(new URL(file, folder), "utf8");
      expect([file, text.includes('"node:')]).toEqual([file, false]);
      if (!file.startsWith("schemas"))
        expect([file, /from "zod"|schemas(\/.*)?\.ts"/.test(text)]).toEqual([file, false]);
    }
  });
});

describe("a call", () => {
  test("writes parameters so that they stay one part of the path", () => {
    expect(pathOf("showStep", { client: "a/b", path: { id: "../x?y", n: "3" } })).toBe(
      "/api/c/a%2Fb/threads/..%2Fx%3Fy/steps/3",
    );
    expect(pathOf("listThreads", { client: "c", query: { q: "a&b", after: undefined } })).toBe(
      "/api/c/c/threads?q=a%26b",
    );
  });

  test("that nobody answers is a failure with a code", async () => {
    const nowhere: Connection = { origin: "http://127.0.0.1:1", headers: {} };
    expect(await call(nowhere, "session")).toMatchObject({
      ok: false,
      error: { status: 0, code: "GATEWAY_UNREACHABLE" },
    });
  });
});
