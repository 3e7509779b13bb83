import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { keptDecisions } from '@baton/config/settings/keep-decision';
import { BatonError } from '@baton/protocol/values';
import { type Command, isSet, type Parsed } from '../arguments/command.ts';

export const trust: Command = {
  name: 'trust',
  summary: 'Let agents use the settings in a folder.',
  usage: 'baton trust [--no | --forget] [FOLDER], baton trust --list [--json]',
  options: {
    no: { type: 'boolean', about: 'do not use the settings in the folder, and do not ask again' },
    forget: { type: 'boolean', about: 'forget the decision about the folder' },
    list: { type: 'boolean', about: 'list the decisions' },
    json: { type: 'boolean', about: 'print the list as JSON' },
  },
  notes: [
    'FOLDER defaults to the current folder. A decision applies to everything in the folder, and to the',
    'worktrees that Baton made of it.',
    'Agents read settings from the folder they work in: hooks, MCP servers, plugins and rules that allow tools.',
    'Agents ignore them until you trust the folder. CLAUDE.md and AGENTS.md are always read.',
    'Decisions are stored in ~/.baton/trust.json. In CI, set BATON_TRUSTED_FOLDERS instead.',
  ],
  async run(parsed) {
    if (isSet(parsed, 'list')) return list(parsed);
    if (isSet(parsed, 'no') && isSet(parsed, 'forget')) {
      throw new BatonError('usage', '--no and --forget cannot be combined.');
    }
    const [named = '.', ...more] = parsed.positionals;
    if (more.length > 0) {
      throw new BatonError('usage', 'Expected at most one FOLDER.', {
        hint: 'Usage: baton trust [FOLDER]',
      });
    }
    const folder = existingFolder(named, isSet(parsed, 'forget'));
    const decision = decisionOf(parsed);
    const { decideTrust, WorkspaceHome } = await import('@baton/workspaces');
    decideTrust(new WorkspaceHome(), folder, decision);
    process.stdout.write(`${OUTCOMES[String(decision)]} ${folder}\n`);
    return 0;
  },
};

const OUTCOMES: Readonly<Record<string, string>> = {
  true: 'Trusted',
  false: 'Not trusted',
  undefined: 'Forgotten',
};

function decisionOf(parsed: Parsed): boolean | undefined {
  if (isSet(parsed, 'forget')) return undefined;
  return !isSet(parsed, 'no');
}

/** A decision about a folder that is gone can still be forgotten. */
function existingFolder(named: string, isForgotten: boolean): string {
  const folder = resolve(named);
  if (isForgotten || statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new BatonError('usage', `Folder ${folder} does not exist.`, {
    hint: 'Pass an existing folder, or omit it for the current one.',
  });
}

function list(parsed: Parsed): number {
  const { trusted, untrusted } = keptDecisions();
  if (isSet(parsed, 'json')) {
    process.stdout.write(`${JSON.stringify({ trusted, untrusted }, null, 2)}\n`);
    return 0;
  }
  const rows = [
    ...trusted.map((folder) => `trusted      ${folder}`),
    ...untrusted.map((folder) => `not trusted  ${folder}`),
  ];
  process.stdout.write(
    rows.length > 0
      ? `${rows.join('\n')}\n`
      : 'No decisions yet. "baton trust" trusts the current folder.\n',
  );
  return 0;
}
