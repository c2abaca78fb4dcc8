export {
  applied,
  type Draft,
  type Edit,
  edited,
  newDraft,
  redone,
  type Splice,
  undone,
} from "./edit.ts";
export type { FieldForm, FieldKind } from "./fields.ts";
export { type PromptPart, partsOf, placeholder } from "./mentions.ts";
export {
  addAnswer,
  addField,
  removeAnswer,
  removeField,
  renameAnswer,
  setField,
} from "./operations/answers.ts";
export { addApproval } from "./operations/approval.ts";
export { type Connection, connect, disconnect, setPrompt, setTarget } from "./operations/edges.ts";
export {
  addRole,
  removeRole,
  renameRole,
  setGoal,
  setPlayer,
  setProcedure,
} from "./operations/roles.ts";
export { setDescription } from "./operations/texts.ts";
export {
  graphOf,
  type Outline,
  type OutlineEdge,
  type OutlineRole,
  type Player,
  type Span,
} from "./outline.ts";
export { edgeSentence, promptInWords, roleSentence, sentencesOf } from "./sentences.ts";
export type { Path } from "./tree.ts";
