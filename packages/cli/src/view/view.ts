import type { AgentEvent } from '@baton/protocol';

/** Shows the events of a run as they come. */
export interface View {
  show(event: AgentEvent): void;
  /** Shows a line of Baton's own between the events. */
  say?(line: string): void;
  /** Hides the status line while a question is shown. */
  pause?(): void;
  resume?(): void;
}
