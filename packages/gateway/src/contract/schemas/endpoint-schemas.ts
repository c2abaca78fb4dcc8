import type { z } from "zod";
import type { Api, EndpointName } from "../api.ts";

/** Of one endpoint. `body` null: it takes none. */
export type EndpointSchemas<Name extends EndpointName> = {
  path: z.ZodType<Api[Name]["path"]>;
  query: z.ZodType<Api[Name]["query"]>;
  body: Api[Name]["body"] extends null ? null : z.ZodType<Api[Name]["body"]>;
  response: z.ZodType<Api[Name]["response"]>;
};

/** Of the endpoints of one resource. */
export type SchemasOf<Names extends EndpointName> = {
  readonly [Name in Names]: EndpointSchemas<Name>;
};
