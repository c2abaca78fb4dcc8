export { OPEN_API, PAGE } from "./built-files.ts";
export type { Holder } from "./gate/sessions.ts";
export {
  addToken,
  type IssuedToken,
  type NewToken,
  passingToken,
  readTokens,
  removeToken,
  rotateToken,
  type Token,
  tokenRows,
} from "./gate/tokens.ts";
export { isHeld, oneTag } from "./server/entity-tags.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./server/start-gateway.ts";
export {
  connectEngine,
  type EngineConnection,
  type EngineState,
} from "./tunnel/connect-engine.ts";
export { MAX_BLOB_BYTES, MAX_BODY_BYTES } from "./tunnel/tunnel-limits.ts";
