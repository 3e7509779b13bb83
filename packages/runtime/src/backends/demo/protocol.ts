import type { PermissionMode, RequestAnswer } from '@baton/protocol/values';
import type { EventDraft, Verdict } from '../../definition/dialect.ts';

/** Where a folder has settings for the demo agent. */
export const SETTINGS_FILE = '.baton-demo.json';

/** What Baton sends to the demo agent, one JSON object a line. */
export type DemoCommand =
  | {
      type: 'open';
      permissionMode: PermissionMode;
      resume?: string;
      fork?: boolean;
      sessionId?: string;
      pace: number;
      /** Directives in it count where the prompt has none; there is no model that could follow the rest. */
      systemPrompt?: string;
      /** Whether a person trusts the folder, so that the hook in its settings may run. */
      loadsFolderSettings?: boolean;
    }
  | { type: 'prompt'; text: string }
  | { type: 'answer'; requestId: string; answer: RequestAnswer }
  | { type: 'steer'; text: string }
  | { type: 'interrupt' };

/** What the demo agent prints, one JSON object a line. */
export type DemoLine = EventDraft | { type: 'turn.completed'; verdict: Verdict };
