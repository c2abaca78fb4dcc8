import type { Layout } from "./layout.ts";
import workerUrl from "./layout.worker.ts?worker&url";
import type { GraphModel } from "./model.ts";

const waiting = new Map<number, (layout: Layout) => void>();
let worker: Worker | null = null;
let lastId = 0;

/** Lays a graph out beside the page, which stays quick whatever the size. */
export function layOut(model: GraphModel): Promise<Layout> {
  worker ??= startWorker();
  lastId += 1;
  const id = lastId;
  const answer = new Promise<Layout>((resolve) => waiting.set(id, resolve));
  worker.postMessage({ id, model });
  return answer;
}

function startWorker(): Worker {
  const started = new Worker(scriptUrl(workerUrl), { type: "module" });
  started.onmessage = ({ data }: MessageEvent<{ id: number; layout: Layout }>) => {
    waiting.get(data.id)?.(data.layout);
    waiting.delete(data.id);
  };
  return started;
}

/** Where the browser asks for it, the address of code says that it is ours: the one script that the page starts. */
function scriptUrl(url: string): string {
  const policies = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (policies === undefined) return url;
  const policy = policies.createPolicy("uncaged-layout", {
    createScriptURL: (given) => {
      if (given !== workerUrl) throw new TypeError("not a script of this page");
      return given;
    },
  });
  return policy.createScriptURL(url);
}

type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
};
