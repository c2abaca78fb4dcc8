/** What tests of an adapter need: the engine's runtime in memory, and a stand-in for the agent's program. */
export { type FakeRuntime, fakeContext, fakeRuntime } from "./testing/fake-runtime.ts";
export { fakeStep } from "./testing/fake-step.ts";
export {
  nodeScriptHead,
  type StandIn,
  type StandInDeed,
  type StandInStart,
  standInProgram,
} from "./testing/stand-in-program.ts";
