import type { EventDraft } from '../../dialect.ts';

/** A model that refuses leaves no other trace in Codex than this; nor does one that had nothing to say. */
export function silence(): EventDraft {
  const message = 'Codex ended its turn without saying or doing anything.';
  return { type: 'notice', level: 'warning', code: 'agent_warning', message };
}
