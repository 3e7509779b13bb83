import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import type {
  StoredWorkspace,
  UnreadWorkspace,
  WorkspaceHome,
  WorkspaceReport,
} from '@baton/workspaces';
import { type Command, isSet, type Parsed, textOf } from '../arguments/command.ts';
import { EXIT } from '../exit-codes.ts';
import { shortId } from '../remote/find-one.ts';
import { ago, bytesText } from '../view/format.ts';
import { tableText } from '../view/table.ts';

const USAGE =
  'baton workspaces [--stale[=DAYS]] | show|path|open|setup|dev|remove|restore NAME | adopt DIR | clean';

export const workspaces: Command = {
  name: 'workspaces',
  summary: 'List the worktrees of agents on this machine; set up, serve, remove or restore them.',
  usage: USAGE,
  words: ['show', 'path', 'open', 'setup', 'dev', 'adopt', 'remove', 'restore', 'clean'],
  options: {
    stale: {
      type: 'string',
      isValueOptional: true,
      value: 'DAYS',
      about: 'only those that nobody used for some days (7)',
    },
    removed: { type: 'boolean', about: 'list removed ones, which can be restored for 30 days' },
    'dry-run': { type: 'boolean', about: 'clean: show what would be removed, and how many bytes' },
    stop: { type: 'boolean', about: 'dev: stop the dev server, wherever it was started' },
    force: {
      type: 'boolean',
      about:
        'remove: although work would be lost or the cleanup fails; setup: although it is in use',
    },
    'delete-branch': {
      type: 'boolean',
      about: 'remove: the branch too, although it is not merged',
    },
    json: { type: 'boolean', about: 'print JSON' },
  },
  notes: [
    'NAME is an id, a branch, a folder, or the last part of one of these.',
    'cd "$(baton workspaces path NAME)" enters a worktree; open uses VISUAL, EDITOR or the desktop.',
    'Nothing with uncommitted or unpushed work is removed, unless named and forced.',
    'setup exits with the exit code of the setup script, and dev with that of the dev server.',
  ],
  async run(parsed) {
    const [word, name, ...rest] = parsed.positionals;
    if (rest.length > 0) throw new BatonError('usage', `Too many arguments. Use: ${USAGE}`);
    const { WorkspaceHome } = await import('@baton/workspaces');
    const home = new WorkspaceHome();
    if (word === undefined)
      return isSet(parsed, 'removed') ? removed(parsed, home) : list(parsed, home);
    if (word === 'clean') return cleanUp(parsed, home);
    const action = ACTIONS[word];
    if (!action) {
      throw new BatonError('usage', `Unknown subcommand "workspaces ${word}".`, {
        hint: `Use: ${USAGE}`,
      });
    }
    if (name === undefined) throw new BatonError('usage', `"workspaces ${word}" needs a name.`);
    return action(parsed, home, name);
  },
};

const ACTIONS: Readonly<
  Record<string, (parsed: Parsed, home: WorkspaceHome, name: string) => Promise<number>>
> = {
  show,
  async path(_parsed, { files }, name) {
    process.stdout.write(`${files.find(name).cwd}\n`);
    return 0;
  },
  async open(_parsed, { files }, name) {
    const { cwd, path, state, workspace_id: id } = files.find(name);
    if (!existsSync(cwd)) {
      const hint = state === 'removed' ? `Run "baton workspaces restore ${id}" first.` : '';
      throw new BatonError('cwd_missing', `The folder ${path} is gone.`, { hint });
    }
    const { openFolder } = await import('../terminal/editor.ts');
    return openFolder(cwd);
  },
  async adopt(parsed, home, folder) {
    const { adoptWorktree } = await import('@baton/workspaces');
    const { git, files } = home;
    const record = await adoptWorktree({ git, files, path: resolve(folder) });
    return told(parsed, record, `Adopted ${record.path} on branch ${record.branch ?? 'none'}.`);
  },
  async setup(parsed, home, name) {
    const { runSetup } = await import('./workspace-scripts.ts');
    const done = await runSetup(home, home.files.find(name), { force: isSet(parsed, 'force') });
    if (done.exitCode !== 0) return done.exitCode;
    return told(parsed, done.record, `Set up ${done.record.path}.`);
  },
  async dev(parsed, home, name) {
    const { runDev, stopDev } = await import('./workspace-scripts.ts');
    const record = home.files.find(name);
    return isSet(parsed, 'stop') ? stopDev(home, record) : runDev(home, record);
  },
  async remove(parsed, home, name) {
    const { removeWorkspace } = await import('@baton/workspaces');
    const { printLine } = await import('./workspace-scripts.ts');
    const { stopOnSignals } = await import('../terminal/stop-on-signals.ts');
    const { workspace_id: id, path } = home.files.find(name);
    const stop = stopOnSignals();
    const { record, cleanup } = await removeWorkspace({
      ...{ home, id, signal: stop.signal },
      force: isSet(parsed, 'force'),
      deleteBranch: isSet(parsed, 'delete-branch'),
      onLine: printLine,
    }).finally(stop.end);
    if (cleanup?.problem) {
      process.stderr.write(`warning: ${cleanup.problem} The workspace was removed by force.\n`);
    }
    const words = record.removed
      ? `Removed ${path}. Restore it with "baton workspaces restore ${id}".`
      : `Removed ${path} from the list; neither it nor its repository exists.`;
    return told(parsed, record, words);
  },
  async restore(parsed, home, name) {
    const { restoreWorktree } = await import('@baton/workspaces');
    const { git, files } = home;
    const record = await restoreWorktree({ git, files, id: files.find(name).workspace_id });
    return told(parsed, record, `Restored ${record.path} on branch ${record.branch}.`);
  },
};

async function list(parsed: Parsed, home: WorkspaceHome): Promise<number> {
  const { isReport, listWorkspaces, reconcile } = await import('@baton/workspaces');
  await reconcile(home);
  const days = staleDays(parsed);
  const all = await listWorkspaces(home);
  const wanted = all.filter(
    (each) => days === undefined || (isReport(each) && each.idleMs >= days * DAY_MS),
  );
  if (isSet(parsed, 'json')) {
    process.stdout.write(`${JSON.stringify(wanted.map(plain), null, 2)}\n`);
    return 0;
  }
  for (const { path, problem } of home.files.damaged()) {
    process.stderr.write(`warning: ${path} is not a workspace record: ${problem}\n`);
  }
  if (wanted.length === 0) {
    process.stdout.write('No workspaces. "baton run --worktree" makes one.\n');
    return 0;
  }
  const hasPr = wanted.some(({ record }) => record.pull_request);
  const rows = wanted.map((each) => {
    const [branch = '', ...cells] = isReport(each) ? row(each) : unreadRow(each);
    const { pull_request: pr } = each.record;
    return [branch, ...(hasPr ? [pr ? `#${pr.number}` : ''] : []), ...cells];
  });
  const names = ['BASE', 'STATE', 'CHANGE', 'COMMITS', 'SIZE', 'USED', 'SESSION', 'FOLDER'];
  const heads = ['BRANCH', ...(hasPr ? ['PR'] : []), ...names];
  process.stdout.write(tableText(process.stdout, heads, rows));
  for (const each of wanted) {
    if (!isReport(each)) process.stderr.write(`warning: ${each.record.path}: ${each.problem}\n`);
  }
  return 0;
}

const DAY_MS = 24 * 3600 * 1000;

function staleDays(parsed: Parsed): number | undefined {
  const text = textOf(parsed, 'stale');
  if (text === undefined) return undefined;
  const days = text === '' ? 7 : Number(text);
  if (days >= 0) return days;
  throw new BatonError('usage', `--stale must be a number of days, not "${text}".`);
}

function row(report: WorkspaceReport) {
  const { record, branch, ahead, behind, additions, deletions, bytes } = report;
  return [
    { text: branch ?? '(detached)', format: 'bold' as const },
    record.base_ref ?? '',
    record.state.replace('_', ' '),
    `+${additions} −${deletions}`,
    ahead === null ? '' : `${ahead} ahead, ${behind} behind`,
    bytes === null ? '?' : bytesText(bytes),
    ago(record.used_at),
    sessionOf(record),
    record.path,
  ];
}

/** A workspace whose status cannot be read: the reason is below the list, which it would make too wide. */
function unreadRow({ record }: UnreadWorkspace) {
  const { branch, base_ref, state, used_at, path } = record;
  const name = { text: branch ?? '(detached)', format: 'bold' as const };
  const about = [name, base_ref ?? '', state.replace('_', ' '), '', '', ''];
  return [...about, ago(used_at), sessionOf(record), path];
}

function sessionOf({ session_id }: StoredWorkspace): string {
  return session_id ? shortId(session_id) : '';
}

/** A report without the fields that only this machine uses. */
function plain(each: { record: StoredWorkspace }): object {
  const { record, ...rest } = each;
  const { owner: _owner, pending: _pending, setup_files: _files, ...shown } = record;
  return { ...shown, ...rest };
}

type ShownWorkspace = Pick<WorkspaceReport, 'record'> & {
  losses?: WorkspaceReport['losses'];
  /** The reason why its status cannot be read, and what to do. */
  problem?: string;
  hint?: string | undefined;
};

async function show(parsed: Parsed, home: WorkspaceHome, name: string): Promise<number> {
  const { workspaceStatus } = await import('@baton/workspaces');
  const record = home.files.find(name);
  const report: ShownWorkspace =
    record.state === 'removed'
      ? { record }
      : await workspaceStatus(home, record).catch((error: unknown) => {
          if (BatonError.is(error)) return { record, problem: error.message, hint: error.hint };
          throw error;
        });
  if (isSet(parsed, 'json')) {
    process.stdout.write(`${JSON.stringify(plain(report), null, 2)}\n`);
    return 0;
  }
  const problem = report.problem ?? record.problem;
  const lines = [
    ['id', record.workspace_id],
    ['folder', record.path],
    ['branch', record.branch ?? '(detached)'],
    ['base', `${record.base_ref ?? ''} ${record.base_commit?.slice(0, 10) ?? ''}`],
    ['repository', record.repository ?? ''],
    ['state', report.record.state.replace('_', ' ')],
    ['session', record.session_id ?? ''],
    ...(record.pull_request ? [['pull request', record.pull_request.url]] : []),
    ['created', `${ago(record.created_at)}${record.created_by ? ` by ${record.created_by}` : ''}`],
    ...(report.losses ?? []).map(({ text }) => ['unsaved', text]),
    ...(problem ? [['problem', problem]] : []),
    ...(report.hint ? [['hint', report.hint]] : []),
    ...(record.removed ? [['can be restored until', record.removed.expires_at]] : []),
  ];
  const width = Math.max(...lines.map(([key = '']) => key.length));
  for (const [key = '', value] of lines) {
    process.stdout.write(`${key.padEnd(width)}  ${value}\n`);
  }
  return 0;
}

async function removed(parsed: Parsed, home: WorkspaceHome): Promise<number> {
  const gone = home.files.list().filter(({ state }) => state === 'removed');
  if (isSet(parsed, 'json')) {
    process.stdout.write(
      `${JSON.stringify(
        gone.map((record) => plain({ record })),
        null,
        2,
      )}\n`,
    );
    return 0;
  }
  if (gone.length === 0) {
    process.stdout.write('No removed workspaces.\n');
    return 0;
  }
  const rows = gone.map(({ workspace_id, branch, removed, path }) => [
    { text: workspace_id, format: 'bold' as const },
    branch ?? '',
    removed ? ago(removed.at) : '',
    removed?.expires_at.slice(0, 10) ?? '',
    path,
  ]);
  const heads = ['WORKSPACE', 'BRANCH', 'REMOVED', 'KEPT UNTIL', 'FOLDER'];
  process.stdout.write(tableText(process.stdout, heads, rows));
  return 0;
}

async function cleanUp(parsed: Parsed, home: WorkspaceHome): Promise<number> {
  const { clean, cleanPlan, expireRemoved, reconcile } = await import('@baton/workspaces');
  const { printLine } = await import('./workspace-scripts.ts');
  await reconcile(home);
  const plan = await cleanPlan(home, { days: staleDays(parsed) });
  const isDry = isSet(parsed, 'dry-run');
  const { removed: gone, failed } = isDry
    ? { removed: plan.remove.map(({ record }) => record), failed: [] }
    : await clean(home, plan, { onLine: printLine });
  if (!isDry) await expireRemoved(home);
  const lost = new Set(failed.map(({ record }) => record.workspace_id));
  const bytes = plan.remove
    .filter(({ record }) => !lost.has(record.workspace_id))
    .reduce((sum, each) => sum + (each.bytes ?? 0), 0);
  const code = failed.length > 0 ? EXIT.failed : EXIT.done;
  if (isSet(parsed, 'json')) {
    const shown = {
      removed: gone.map((record) => plain({ record })),
      kept: plan.keep.map(plain),
      failed: failed.map(({ record, error }) => ({ ...plain({ record }), error: error.toJSON() })),
      bytes,
    };
    process.stdout.write(`${JSON.stringify({ ...shown, dry_run: isDry }, null, 2)}\n`);
    return code;
  }
  for (const { path } of gone) {
    process.stdout.write(`${isDry ? 'Would remove' : 'Removed'} ${path}\n`);
  }
  for (const { record, losses } of plan.keep) {
    process.stdout.write(`Kept ${record.path}: ${losses.map(({ text }) => text).join(', ')}\n`);
  }
  for (const { record, error } of failed) {
    const [problem = ''] = error.message.split('\n');
    process.stderr.write(`error: ${record.path}: ${problem}\n`);
  }
  const verb = isDry ? 'Would free' : 'Freed';
  if (gone.length > 0) process.stdout.write(`${verb} ${bytesText(bytes)}.\n`);
  else if (failed.length === 0) process.stdout.write('Nothing to remove.\n');
  return code;
}

function told(parsed: Parsed, record: StoredWorkspace, words: string): number {
  const text = isSet(parsed, 'json') ? JSON.stringify(plain({ record }), null, 2) : words;
  process.stdout.write(`${text}\n`);
  return 0;
}
