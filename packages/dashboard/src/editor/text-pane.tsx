import { Annotation, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
} from "@codemirror/view";
import type { Edit } from "@uncaged/workflow-editor";
import type { TextFault } from "@uncaged/workflow-gateway/contract";
import { useEffect, useRef } from "react";

/** The text, in a shadow root: its styles stay inside, and the page's policy holds. */
export function TextPane({
  text,
  faults,
  onEdit,
  onUndo,
  onRedo,
}: {
  text: string;
  faults: readonly TextFault[];
  onEdit: (edit: Edit) => void;
  onUndo: () => void;
  onRedo: () => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const calls = useRef({ onEdit, onUndo, onRedo });
  calls.current = { onEdit, onUndo, onRedo };
  const first = useRef(text);
  // What was typed and has not come back as `text` yet: somebody who types fast is ahead of the page.
  const ahead = useRef<string[]>([]);
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const run = (name: "onUndo" | "onRedo") => () => {
      calls.current[name]();
      return true;
    };
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          keymap.of([
            { key: "Mod-z", run: run("onUndo") },
            { key: "Mod-y", run: run("onRedo") },
            { key: "Mod-Shift-z", run: run("onRedo") },
            { key: "Enter", run: newLine },
            { key: "Mod-a", run: chooseAll },
          ]),
          lineNumbers(),
          marks,
          colours(/(?:^|\s)#.*$/g, "uwf-comment"),
          colours(/^\s*(?:- )?[\w$"'-]+(?=:(?:\s|$))/g, "uwf-key"),
          EditorView.lineWrapping,
          EditorView.domEventHandlers({ beforeinput: typeOver }),
          // What is editable takes the focus without it, but not every tool knows: what surrounds it scrolls.
          EditorView.contentAttributes.of({ "aria-label": "Text of the workflow", tabindex: "0" }),
          LOOK,
          EditorView.updateListener.of(({ docChanged, changes, transactions, state }) => {
            if (!docChanged || transactions.some((each) => each.annotation(fromOutside))) return;
            const edit: { from: number; to: number; insert: string }[] = [];
            changes.iterChanges((from, to, _a, _b, insert) => {
              edit.push({ from, to, insert: insert.toString() });
            });
            ahead.current.push(state.doc.toString());
            calls.current.onEdit(edit);
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, []);
  useEffect(() => {
    const shown = view.current;
    if (shown === null) return;
    const own = ahead.current.indexOf(text);
    ahead.current = own < 0 ? [] : ahead.current.slice(own + 1);
    if (own >= 0) return;
    const now = shown.state.doc.toString();
    if (now === text) return;
    let from = 0;
    while (from < now.length && now[from] === text[from]) from += 1;
    let tail = 0;
    while (
      tail < Math.min(now.length, text.length) - from &&
      now.at(-1 - tail) === text.at(-1 - tail)
    )
      tail += 1;
    const changes = { from, to: now.length - tail, insert: text.slice(from, text.length - tail) };
    shown.dispatch({ changes, annotations: fromOutside.of(true), scrollIntoView: true });
  }, [text]);
  useEffect(() => {
    const shown = view.current;
    if (shown === null) return;
    const most = shown.state.doc.length;
    const found = faults.flatMap(({ level, message, span }) => {
      if (span === null) return [];
      const from = Math.min(span.start, most);
      const to = Math.min(Math.max(span.end, from + 1), most);
      const look = { class: `uwf-${level}`, attributes: { title: message } };
      return from < to ? [Decoration.mark(look).range(from, to)] : [];
    });
    shown.dispatch({ effects: mark.of(Decoration.set(found, true)) });
  }, [faults]);
  return <div ref={host} className="h-96 overflow-auto md:h-[calc(100vh-12rem)]" />;
}

const fromOutside = Annotation.define<boolean>();

/** Where faults stand; they move with the text until the engine has read it again. */
const mark = StateEffect.define<DecorationSet>();
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (shown, { changes, effects }) => {
    const next = effects.find((effect) => effect.is(mark));
    return next?.is(mark) ? next.value : shown.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A grammar of YAML would weigh more than the rest of the editor. */
function colours(regexp: RegExp, name: string) {
  const finder = new MatchDecorator({ regexp, decoration: Decoration.mark({ class: name }) });
  return ViewPlugin.define(
    (view) => ({
      found: finder.createDeco(view),
      update(update) {
        this.found = finder.updateDeco(update, this.found);
      },
    }),
    { decorations: ({ found }) => found },
  );
}

/** As far in as the line before. */
function newLine({ state, dispatch }: EditorView): boolean {
  const { head } = state.selection.main;
  const indent = /^ */.exec(state.doc.lineAt(head).text)?.[0] ?? "";
  dispatch(state.update(state.replaceSelection(`\n${indent}`), { scrollIntoView: true }));
  return true;
}

/** All of it, also what is not drawn because it is out of sight. */
function chooseAll({ state, dispatch }: EditorView): boolean {
  dispatch(state.update({ selection: { anchor: 0, head: state.doc.length } }));
  return true;
}

/** Left to itself, the browser gives what is typed over coloured text the colour in a style attribute, which the page's
 *  policy refuses. On a busy machine the browser knows of a selection before the editor does. */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { inputType, data, isComposing } = event;
  if (inputType !== "insertText" || data === null || isComposing) return false;
  const { from, to } = view.state.selection.main.empty
    ? replacedBy(event, view)
    : view.state.selection.main;
  if (from === to) return false;
  const changes = { from, to, insert: data };
  const selection = { anchor: from + data.length };
  view.dispatch({ changes, selection, scrollIntoView: true, userEvent: "input.type" });
  return true;
}

function replacedBy(event: InputEvent, view: EditorView): { from: number; to: number } {
  const [range] = event.getTargetRanges();
  if (range === undefined) return { from: 0, to: 0 };
  return {
    from: view.posAtDOM(range.startContainer, range.startOffset),
    to: view.posAtDOM(range.endContainer, range.endOffset),
  };
}

const LOOK = EditorView.theme({
  "&": { fontSize: "13px", backgroundColor: "var(--surface)", color: "var(--ink)", height: "100%" },
  ".cm-content": { fontFamily: "ui-monospace, monospace", caretColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--ground)", color: "var(--dim)", border: "none" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".uwf-comment": { color: "var(--dim)", fontStyle: "italic" },
  ".uwf-key": { color: "var(--accent)" },
  ".uwf-fault": { textDecoration: "underline wavy var(--bad)" },
  ".uwf-warning": { textDecoration: "underline wavy var(--warn)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
});
