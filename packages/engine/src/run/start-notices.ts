import { setImmediate as nextTick } from 'node:timers/promises';
import { skippedWords, sweepOrphansOnce } from '@baton/process';
import type { DraftOf, EventDraft } from '../definition/dialect.ts';
import { type ResolvedOptions, withholdsSettings } from '../definition/driver.ts';
import type { ConversationInput, LocatedAgent } from './conversation-input.ts';
import { processes } from './stop-link.ts';

/** Returns notices for the user before the agent is started. */
export function startNotices(
  { backend, driver, trust: findTrust }: ConversationInput,
  { permissionMode }: ResolvedOptions,
  located: LocatedAgent | undefined,
): DraftOf<'notice'>[] {
  const notices: DraftOf<'notice'>[] = (located?.skipped ?? []).map((path) => ({
    type: 'notice',
    level: 'warning',
    code: 'binary_skipped',
    message: skippedWords(path),
    data: { path },
  }));
  if (backend.capabilities.permissions === 'claimed' && permissionMode !== 'allow-all') {
    const message = `${backend.label} claims to ask before it acts, but Baton has not verified it.`;
    notices.push({ type: 'notice', level: 'warning', code: 'status', message });
  }
  const trust = findTrust();
  if (!withholdsSettings({ trust })) return notices;
  // The agent is refused, or the settings are empty.
  if (!driver.canWithholdSettings && !driver.loadsSettings) return notices;
  const found = trust.settings.join(', ');
  const message = driver.canWithholdSettings
    ? `This folder is not trusted, so ${backend.label} ignores its settings (${found}): hooks, MCP servers, plugins and rules. Run "baton trust" to trust it.`
    : `This folder is not trusted, but ${backend.label} loads its settings (${found}) anyway: its hooks and MCP servers may start.`;
  // A user who decided against the folder needs no warning.
  const isExpected = driver.canWithholdSettings && trust.decidedBy !== undefined;
  const level = isExpected ? 'info' : 'warning';
  return [...notices, { type: 'notice', level, code: 'folder_untrusted', message, data: trust }];
}

/** Ends, once in the life of this program, what runs left behind whose Baton was killed. */
export async function endOrphans(emit: (draft: EventDraft) => void): Promise<void> {
  // The agent starts meanwhile.
  await nextTick();
  const { runs, killed } = await sweepOrphansOnce();
  if (killed === 0) return;
  const whose = runs === 1 ? 'a run' : `${runs} runs`;
  emit({
    type: 'notice',
    level: 'warning',
    code: 'leftover_processes',
    message: `Stopped ${processes(killed)} that ${whose} left behind when Baton was killed.`,
    data: { runs, killed },
  });
}
