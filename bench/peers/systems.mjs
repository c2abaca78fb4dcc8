/** Who takes part, in the order of the table. Each is opened in a process of its own, with a folder of its
 *  own, and returns `{ version, thread, close }`: `thread(steps, between)` makes a new thread of so many
 *  durable steps, one after the other, each of which awaits `between` as the work of its role. Those that also
 *  have `fan(members)` run so many at once and return what they said, joined.
 *  `most`: how long a thread of it can be made, because each step costs more than the one before. */
export const SYSTEMS = {
  flush: {
    what: "bare flush of 1.3 KB",
    open: async (folder) => (await import("./systems/bare.mjs")).openFlush(folder),
  },
  "flushes-of-files": {
    what: "bare flushes of two files and a head",
    open: async (folder) => (await import("./systems/bare.mjs")).openFiles(folder),
  },
  "ours-packed": {
    what: "ours, store: packed",
    open: async (folder) =>
      (await import("./systems/ours.mjs")).openOurs(folder, { store: "packed" }),
  },
  "ours-files": {
    what: "ours, store: files",
    open: async (folder) =>
      (await import("./systems/ours.mjs")).openOurs(folder, { store: "files" }),
  },
  "ours-postgres": {
    what: "ours on PostgreSQL",
    open: async (folder) => (await import("./systems/ours.mjs")).openOursInPostgres(folder),
  },
  restate: {
    what: "Restate",
    open: async (folder) => (await import("./systems/restate.mjs")).openRestate(folder),
  },
  dbos: {
    what: "DBOS on PostgreSQL",
    open: async (folder) => (await import("./systems/dbos.mjs")).openDbos(folder),
  },
  langgraph: {
    what: "LangGraph.js + SQLite, as shipped (unflushed)",
    open: (folder) => openLangGraph(folder, { durable: false, keeps: "last" }),
  },
  "langgraph-durable": {
    what: "LangGraph.js + SQLite, made durable",
    open: (folder) => openLangGraph(folder, { durable: true, keeps: "last" }),
  },
  "langgraph-history": {
    what: "LangGraph.js + SQLite, durable, steps in its state",
    open: (folder) => openLangGraph(folder, { durable: true, keeps: "all" }),
    most: 1_000,
  },
  mastra: {
    what: "Mastra + LibSQL (unflushed)",
    open: async (folder) => (await import("./systems/mastra.mjs")).openMastra(folder),
    most: 300,
  },
};

async function openLangGraph(folder, options) {
  return (await import("./systems/langgraph.mjs")).openLangGraph(folder, options);
}
