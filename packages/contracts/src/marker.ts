import type { AgentEvent } from '@baton/protocol/values';

/** The word by which an agent says that the whole work is done. */
export const COMPLETION_MARKER = 'ORCHESTRA_COMPLETE';

/** Looks for the completion marker in what the main agent says, also when it comes in pieces. */
export class MarkerDetector {
  found = false;
  #tails = new Map<string, string>();

  /** Takes an event; prompts, thinking, tool output and sub-agents never count. */
  see(event: AgentEvent): void {
    if (this.found) return;
    if (event.type === 'run.completed') this.#look(event.output);
    if (event.type === 'message.completed') {
      this.#tails.delete(event.messageId);
      // A stored log may have no deltas.
      if (event.kind === 'text' && !event.parentId) this.#look(event.text);
    }
    if (event.type !== 'message.delta' || event.kind !== 'text' || event.parentId) return;
    const text = (this.#tails.get(event.messageId) ?? '') + event.text;
    this.#look(text);
    this.#tails.set(event.messageId, text.slice(1 - COMPLETION_MARKER.length));
  }

  #look(text: string): void {
    this.found ||= text.includes(COMPLETION_MARKER);
  }
}
