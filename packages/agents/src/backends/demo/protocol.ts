import type { EventDraft, Verdict } from '@baton/engine/definition/dialect';
import type { PermissionMode, RequestAnswer } from '@baton/protocol/values';

/** File with a folder's settings for the demo agent. */
export const SETTINGS_FILE = '.baton-demo.json';

/** Command that Baton sends to the demo agent, one JSON object per line. */
export type DemoCommand =
  | {
      type: 'open';
      permissionMode: PermissionMode;
      resume?: string | undefined;
      fork?: boolean | undefined;
      sessionId?: string | undefined;
      pace: number;
      /** Directives in it count where the prompt has none; there is no model that could follow the rest. */
      systemPrompt?: string | undefined;
      /** True if a person trusts the folder, so that the hook in its settings may run. */
      loadsFolderSettings?: boolean;
    }
  | { type: 'prompt'; text: string }
  | { type: 'answer'; requestId: string; answer: RequestAnswer }
  | { type: 'steer'; text: string }
  | { type: 'interrupt' };

/** Line that the demo agent prints, one JSON object each. */
export type DemoLine = EventDraft | { type: 'turn.completed'; verdict: Verdict };
