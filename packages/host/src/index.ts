export { type HostStatus, hostStatus, type Undelivered, undelivered } from "./host-status.ts";
export { runHost } from "./run-host.ts";
export { type ServiceFile, serviceFile } from "./service-file.ts";
export { stopHost } from "./stop-host.ts";
