import type { AgentEvent } from "@uncaged/workflow-protocol";

/** Remembers which calls the role's policy refused, from the events on their way to observers. */
export class Refusals {
  readonly emit: (event: AgentEvent) => void;
  readonly #reasons = new Set<string>();

  constructor(emit: (event: AgentEvent) => void) {
    this.emit = (event) => {
      if (event.type === "permission" && !event.allowed && this.#reasons.size < MOST_REASONS) {
        this.#reasons.add(event.reason);
      }
      emit(event);
    };
  }

  /** The reasons, each once; empty when nothing was refused. */
  inWords(): string {
    return [...this.#reasons].join("; ");
  }
}

const MOST_REASONS = 5;
