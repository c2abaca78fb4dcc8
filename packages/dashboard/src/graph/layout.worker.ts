import { layoutOf } from "./layout.ts";
import type { GraphModel } from "./model.ts";

self.onmessage = ({ data }: MessageEvent<{ id: number; model: GraphModel }>) => {
  self.postMessage({ id: data.id, layout: layoutOf(data.model) });
};
