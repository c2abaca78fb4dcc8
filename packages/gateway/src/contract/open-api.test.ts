import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ENDPOINTS } from "./api.ts";
import { openApiDocument } from "./open-api.test.helper.ts";

test("the OpenAPI document is that of the contract", async () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const text = `${JSON.stringify(openApiDocument(manifest.version), null, 1)}\n`;
  await expect(text).toMatchFileSnapshot("../../openapi.json");
});

test("it has each endpoint", () => {
  const document = JSON.stringify(openApiDocument("1"));
  for (const name of Object.keys(ENDPOINTS)) expect(document).toContain(`"operationId":"${name}"`);
});
