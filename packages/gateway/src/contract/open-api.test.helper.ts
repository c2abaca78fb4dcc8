/** The OpenAPI document of the contract. */
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi";
import { ENDPOINTS, type EndpointName, isGatewayEndpoint } from "./api.ts";
import { failureSchema, SCHEMAS, serverEventSchema } from "./schemas.ts";

export function openApiDocument(version: string): unknown {
  const paths: ZodOpenApiPathsObject = {};
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const { method } = ENDPOINTS[name];
    const path = pathOf(name);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name) };
  }
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "uncaged workflow gateway",
      version,
      description:
        "Changes need JSON and the header Origin with the gateway's own address. An engine's endpoints are behind /api/c/{client}.",
    },
    security: [{ token: [] }, { session: [], key: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: "uwf" },
        key: { type: "apiKey", in: "header", name: "X-Uwf-Key" },
      },
      schemas: { ServerEvent: serverEventSchema },
    },
  });
}

function pathOf(name: EndpointName): string {
  const path = ENDPOINTS[name].path.replace(/:(\w+)/g, "{$1}");
  if (isGatewayEndpoint(name)) return path;
  return name === "deliver" ? "/hooks/{client}/{trigger}" : `/api/c/{client}${path}`;
}

function operation(name: EndpointName) {
  const { summary, scope, method, returns, takes, named } = ENDPOINTS[name];
  const { path, query, body, response } = SCHEMAS[name];
  const inClient = isGatewayEndpoint(name)
    ? []
    : [
        {
          name: "client",
          in: "path" as const,
          required: true,
          schema: { type: "string" as const },
        },
      ];
  const conditions =
    method === "GET" ? (named ? ["If-None-Match"] : []) : ["If-Match", "Idempotency-Key"];
  const kind = { text: "text/plain", events: "text/event-stream" } as const;
  const accepted = takes === "octets" ? "application/octet-stream" : "application/json";
  const type = returns === undefined ? "application/json" : kind[returns];
  return {
    operationId: name,
    summary,
    ...(scope === null ? { security: [] } : { description: `Scope: ${scope}.` }),
    requestParams: { path, query },
    parameters: [
      ...inClient,
      ...conditions.map((each) => ({
        name: each,
        in: "header" as const,
        schema: { type: "string" as const },
      })),
    ],
    ...(body === null ? {} : { requestBody: { content: { [accepted]: { schema: body } } } }),
    responses: {
      "200": { description: "The answer", content: { [type]: { schema: response } } },
      ...(named ? { "304": { description: "What the caller has is still the answer" } } : {}),
      default: {
        description: "Why not",
        content: { "application/json": { schema: failureSchema } },
      },
    },
  };
}
