import type { DaemonStatus } from '@baton/client';
import { BatonError } from '@baton/protocol/values';
import { type Command, isSet, type Parsed } from '../arguments/command.ts';
import { EXIT } from '../exit-codes.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { roughly } from '../view/format.ts';
import { style } from '../view/style.ts';

const DATABASES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

export const status: Command = {
  name: 'status',
  summary: 'Show daemon status: address, database, tasks and pending requests.',
  usage: 'baton status [--json]',
  optionsOnly: true,
  options: { json: { type: 'boolean', about: 'print as JSON' }, ...DAEMON_OPTIONS },
  notes: ['Exit codes: 0 running, 5 not logged in, 6 unreachable.'],
  run: tellStatus,
};

async function tellStatus(parsed: Parsed): Promise<number> {
  const json = isSet(parsed, 'json');
  try {
    return await withDaemon(status, parsed, async (client, url) => {
      const facts = await client.status.find();
      const text = json
        ? `${JSON.stringify({ running: true, url, ...facts }, null, 2)}\n`
        : statusText(url, facts);
      process.stdout.write(text);
      return EXIT.done;
    });
  } catch (error) {
    // The status is a valid answer, also in JSON.
    if (json && BatonError.is(error) && error.code === 'daemon_unreachable') {
      process.stdout.write(`${JSON.stringify({ running: false }, null, 2)}\n`);
    }
    throw error;
  }
}

function statusText(url: string, facts: DaemonStatus): string {
  const out = process.stdout;
  const { QUEUED = 0, AWAITING_PERMISSION: awaiting = 0, ...active } = facts.tasks;
  const running = Object.values(active).reduce((sum, count) => sum + count, 0);
  const needInput = `${awaiting} ${awaiting === 1 ? 'needs' : 'need'} input`;
  const requests = facts.pending_requests;
  const waits =
    requests === 0
      ? 'no pending requests'
      : style(out, 'yellow', `${requests} pending; see "baton answer"`);
  const rows = [
    ['version', facts.version],
    ['uptime', roughly(facts.started_at ? Date.now() - Date.parse(facts.started_at) : 0)],
    ['database', DATABASES[facts.database]],
    ['tasks', `${running} running, ${needInput} (${facts.slots} slots), ${QUEUED} queued`],
    ...(facts.queue_block ? [['queue', facts.queue_block.message]] : []),
    ['requests', waits],
  ];
  const lines = rows.map(
    ([name = '', words]) => `  ${style(out, 'dim', name.padEnd(8))}  ${words}\n`,
  );
  return `${style(out, 'green', '●')} Baton is running at ${style(out, 'bold', url)}\n${lines.join('')}`;
}
