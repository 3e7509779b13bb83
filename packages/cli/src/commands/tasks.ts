import type { Page } from '@baton/client';
import { BatonError, TASK_STATUSES, type TaskRecord } from '@baton/protocol';
import { type Command, isSet, type Parsed, textOf } from '../command.ts';
import { readPrompt } from '../prompt-source.ts';
import { findOne, onlyArgument, shortId } from '../remote/find-one.ts';
import { LIST_OPTIONS, limitOf, moreLine } from '../remote/list-options.ts';
import { statusCell } from '../remote/status-cell.ts';
import { withDaemon } from '../remote/with-daemon.ts';
import { ago } from '../view/format.ts';
import { tableText } from '../view/table.ts';

const USAGE = 'baton tasks [--session ID] [--status S] [--json] | edit ID PROMPT | cancel ID';

export const tasks: Command = {
  name: 'tasks',
  summary:
    'List prompts and what became of them, the newest first; change or cancel those that wait.',
  usage: USAGE,
  words: ['edit', 'cancel'],
  promptAfter: 'baton tasks edit ID',
  options: {
    session: { type: 'string', short: 's', value: 'ID', about: 'only those of a session' },
    status: {
      type: 'string',
      value: 'STATUS',
      about: `only those in a state: ${TASK_STATUSES.map((each) => each.toLowerCase()).join(', ')}`,
      choices: TASK_STATUSES.map((each) => each.toLowerCase()),
    },
    file: {
      type: 'string',
      short: 'f',
      value: 'FILE',
      about: 'take the new prompt from a file',
      choices: 'files',
    },
    ...LIST_OPTIONS,
  },
  notes: [
    '"tasks edit ID -" reads the new prompt from standard input.',
    'A task that runs is stopped with "baton stop".',
  ],
  async run(parsed) {
    const [word, ...rest] = parsed.positionals;
    if (word === undefined) return list(parsed);
    if (word === 'edit') return edit(parsed, rest);
    if (word === 'cancel') return cancel(parsed, rest);
    throw new BatonError('usage', `There is no "tasks ${word}".`, { hint: `Use: ${USAGE}` });
  },
};

function list(parsed: Parsed): Promise<number> {
  const status = statusOf(textOf(parsed, 'status'));
  const session = textOf(parsed, 'session');
  const limit = limitOf(parsed);
  return withDaemon(tasks, parsed, async (client) => {
    const page = await client.tasks.find({
      limit,
      ...(status === undefined ? {} : { status }),
      ...(session === undefined
        ? {}
        : { session_id: (await findOne(client, session, ['session'])).id }),
    });
    process.stdout.write(
      isSet(parsed, 'json') ? `${JSON.stringify(page.data, null, 2)}\n` : listText(page),
    );
    return 0;
  });
}

async function edit(parsed: Parsed, [text, ...words]: readonly string[]): Promise<number> {
  const file = textOf(parsed, 'file');
  if (text === undefined || (words.length === 0 && file === undefined)) {
    throw new BatonError('usage', text === undefined ? 'Which task?' : 'What is the new prompt?', {
      hint: 'Use: baton tasks edit ID PROMPT',
    });
  }
  const full_prompt = await readPrompt(words, file);
  return withDaemon(tasks, parsed, async (client) => {
    const { id } = await findOne(client, text, ['task']);
    told(parsed, await client.tasks.patch(id, { full_prompt }), 'has a new prompt');
    return 0;
  });
}

function cancel(parsed: Parsed, rest: readonly string[]): Promise<number> {
  const text = onlyArgument(rest, 'task', 'baton tasks cancel ID');
  return withDaemon(tasks, parsed, async (client) => {
    const { id } = await findOne(client, text, ['task']);
    const { status, session_id } = await client.tasks.get(id);
    if (status !== 'QUEUED') {
      throw new BatonError('conflict', `The task does not wait any more: it is ${status}.`, {
        hint: `Stop one that runs with "baton stop ${shortId(id)}".`,
      });
    }
    const { receipt, task } = await client.sessions.stopTask(session_id, { taskId: id });
    told(parsed, task, receipt === 'cancelled' ? 'is cancelled' : 'had just begun, and is stopped');
    return 0;
  });
}

function told(parsed: Parsed, task: TaskRecord, words: string): void {
  process.stdout.write(
    isSet(parsed, 'json')
      ? `${JSON.stringify(task, null, 2)}\n`
      : `Task ${shortId(task.task_id)} ${words}.\n`,
  );
}

function statusOf(text: string | undefined): string | undefined {
  const status = text?.toUpperCase();
  if (status === undefined || TASK_STATUSES.some((each) => each === status)) return status;
  throw new BatonError('usage', `There is no status "${text}".`, {
    hint: `Use one of ${TASK_STATUSES.map((each) => each.toLowerCase()).join(', ')}.`,
  });
}

function listText(page: Page<TaskRecord>): string {
  if (page.data.length === 0) return 'There are no tasks.\n';
  const rows = page.data.map(({ task_id, session_id, status, created_at, description }) => [
    { text: shortId(task_id), format: 'bold' as const },
    shortId(session_id),
    statusCell(status),
    ago(created_at),
    description,
  ]);
  const heads = ['TASK', 'SESSION', 'STATUS', 'ASKED', 'PROMPT'];
  return tableText(process.stdout, heads, rows) + moreLine(page);
}
