import { Dialog } from "../ui/dialog.tsx";

const KEYS: readonly (readonly [title: string, keys: readonly (readonly [string, string])[]])[] = [
  [
    "Everywhere",
    [
      ["⌘K, Ctrl K", "go to a view, a workflow or a thread"],
      ["?", "this help"],
      ["j, k", "next, previous row, step or question"],
      ["Home, End, PgUp, PgDn", "far"],
      ["Enter", "open"],
    ],
  ],
  [
    "In the list of threads",
    [
      ["/", "filter"],
      ["x", "choose the thread, for all buttons below"],
      ["o", "open, as Enter"],
    ],
  ],
  [
    "In a thread",
    [
      ["n, p", "next, previous failure"],
      ["f", "follow the newest step"],
      ["[, ]", "previous, next thread of the list"],
      ["g", "graph or time line"],
      ["o", "whole graph, or the step under way"],
      ["c", "copy the link"],
      ["y", "copy the command line"],
    ],
  ],
  [
    "Answering",
    [
      ["r", "to the answer, in the inbox and in a thread"],
      ["⌘↵, Ctrl Enter", "send it"],
    ],
  ],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      {KEYS.map(([title, keys]) => (
        <section key={title} className="mb-4">
          <h3 className="mb-1">{title}</h3>
          <dl className="grid grid-cols-[minmax(9rem,auto)_1fr] gap-x-4 gap-y-1">
            {keys.map(([key, does]) => (
              <div key={key} className="contents">
                <dt>
                  <kbd className="font-mono text-xs">{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
