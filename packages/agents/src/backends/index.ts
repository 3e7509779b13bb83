import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { ampEntry } from './amp/index.ts';
import { claudeEntry } from './claude/index.ts';
import { codexEntry } from './codex/index.ts';
import { codexSdkEntry } from './codex-sdk/index.ts';
import { cursorEntry } from './cursor/index.ts';
import { demoEntry } from './demo/index.ts';
import { droidEntry } from './droid/index.ts';
import { geminiEntry } from './gemini/index.ts';
import { openClawEntry } from './openclaw/index.ts';
import { openCodeEntry } from './opencode/index.ts';
import { piEntry } from './pi/index.ts';

/** The backends that Baton comes with, in the order in which they are shown. */
export const BUILT_IN: readonly BackendEntry[] = [
  claudeEntry,
  codexEntry,
  codexSdkEntry,
  geminiEntry,
  openCodeEntry,
  droidEntry,
  ampEntry,
  cursorEntry,
  piEntry,
  openClawEntry,
  demoEntry,
];
