import type { BackendEntry } from '../registry.ts';
import { claudeEntry } from './claude/entry.ts';
import { codexEntry } from './codex/entry.ts';
import { demoEntry } from './demo/entry.ts';

/** The backends that Baton comes with, in the order in which they are shown. */
export const BUILT_IN: readonly BackendEntry[] = [claudeEntry, codexEntry, demoEntry];
