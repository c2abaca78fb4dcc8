/** Only the parts of a storage root: the whole engine would load modules that opening them does not need. */
export {
  openSchedules,
  openThreads,
  openTriggers,
  sharedRegistry,
} from "@uncaged/workflow-execute";
