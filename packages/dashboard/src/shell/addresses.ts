/** The addresses of the page, in one place. */
const part = encodeURIComponent;

export const threadsAt = (client: string) => `/c/${part(client)}/threads`;
export const workflowsAt = (client: string) => `/c/${part(client)}/w`;

export const threadAt = (client: string, id: string, step?: number) =>
  `/c/${part(client)}/t/${part(id)}${step === undefined ? "" : `?step=${step}`}`;

export const compareAt = (client: string, a: string, b: string) =>
  `/c/${part(client)}/t/${part(a)}/diff/${part(b)}`;

export const raceAt = (client: string, ids: readonly string[]) =>
  `/c/${part(client)}/race?ids=${ids.map(part).join(",")}`;

export const workflowAt = (client: string, name: string, version?: string) =>
  `/c/${part(client)}/w/${part(name)}${version === undefined ? "" : `?v=${part(version)}`}`;

/** `isNew`: no version of the name is read. */
export const editAt = (client: string, name: string, isNew = false) =>
  `/c/${part(client)}/w/${part(name)}/edit${isNew ? "?new" : ""}`;

/** The editor of what a thread drafts. */
export const draftAt = (client: string, name: string, thread: string) =>
  `${editAt(client, name, true)}&draft=${part(thread)}`;

export const runAt = (client: string, workflow?: string) =>
  `/c/${part(client)}/run${workflow === undefined ? "" : `?wf=${part(workflow)}`}`;

/** Views of a client, in the order of the bar. */
export const VIEWS = [
  { path: "threads", word: "Threads" },
  { path: "inbox", word: "Inbox" },
  { path: "w", word: "Workflows" },
  { path: "run", word: "Run" },
  { path: "tasks", word: "Tasks" },
  { path: "queue", word: "Queue" },
  { path: "schedules", word: "Schedules" },
  { path: "costs", word: "Costs" },
] as const;
