import type { AgentEvent } from '@baton/protocol';

/** Shows the events of a run as they come. */
export interface View {
  show(event: AgentEvent): void;
  /** Shows a line of Baton's own between the events. */
  say?(line: string): void;
  /** Takes away what is shown only for the moment, while a person is asked something. */
  pause?(): void;
  resume?(): void;
}
