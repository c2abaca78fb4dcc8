/** For tests of whatever uses a root in PostgreSQL. */
export { testRoot } from "./testing/test-root.ts";
