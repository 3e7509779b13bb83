import type { Page } from '@baton/client';
import { BatonError, TASK_STATUSES, type TaskRecord, type TaskStatus } from '@baton/protocol';
import { type Command, isSet, type Parsed, textOf } from '../arguments/command.ts';
import { readPrompt } from '../arguments/prompt-source.ts';
import { findOne, onlyArgument, shortId } from '../remote/find-one.ts';
import { LIST_OPTIONS, limitOf, moreLine } from '../remote/list-options.ts';
import { START_FILES_NOTES, START_FILES_OPTION, startFiles } from '../remote/start-files.ts';
import { statusCell } from '../remote/status-cell.ts';
import { withDaemon } from '../remote/with-daemon.ts';
import { ago } from '../view/format.ts';
import { tableText } from '../view/table.ts';

const USAGE =
  'baton tasks [--session ID] [--status S] [--json] | edit ID PROMPT | cancel ID | retry ID [PROMPT]';

export const tasks: Command = {
  name: 'tasks',
  summary: 'List tasks, newest first; edit or cancel queued ones, or retry one in a fork.',
  usage: USAGE,
  words: ['edit', 'cancel', 'retry'],
  promptAfter: 'baton tasks edit ID',
  options: {
    session: { type: 'string', short: 's', value: 'ID', about: 'only tasks of this session' },
    status: {
      type: 'string',
      value: 'STATUS',
      about: `only tasks with this status: ${TASK_STATUSES.map((each) => each.toLowerCase()).join(', ')}`,
      choices: TASK_STATUSES.map((each) => each.toLowerCase()),
    },
    file: {
      type: 'string',
      short: 'f',
      value: 'FILE',
      about: 'read the new prompt from a file',
      choices: 'files',
    },
    files: START_FILES_OPTION,
    ...LIST_OPTIONS,
  },
  notes: [
    'retry runs the prompt again, or PROMPT instead, in a fork of its session from just before it.',
    ...START_FILES_NOTES,
    '"tasks edit ID -" reads the new prompt from stdin.',
    'Use "baton stop" to stop a running task.',
  ],
  async run(parsed) {
    const [word, ...rest] = parsed.positionals;
    if (word === undefined) return list(parsed);
    if (word === 'edit') return edit(parsed, rest);
    if (word === 'cancel') return cancel(parsed, rest);
    if (word === 'retry') return retry(parsed, rest);
    throw new BatonError('usage', `Unknown subcommand "tasks ${word}".`, { hint: `Use: ${USAGE}` });
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
    throw new BatonError('usage', text === undefined ? 'Missing task id.' : 'Missing prompt.', {
      hint: 'Use: baton tasks edit ID PROMPT',
    });
  }
  const full_prompt = await readPrompt(words, file);
  return withDaemon(tasks, parsed, async (client) => {
    const { id } = await findOne(client, text, ['task']);
    told(parsed, await client.tasks.patch(id, { full_prompt }), 'updated');
    return 0;
  });
}

async function retry(parsed: Parsed, [text, ...words]: readonly string[]): Promise<number> {
  if (text === undefined) {
    throw new BatonError('usage', 'Missing task id.', {
      hint: 'Use: baton tasks retry ID [PROMPT]',
    });
  }
  const files = startFiles(parsed);
  const file = textOf(parsed, 'file');
  const isEdited = words.length > 0 || file !== undefined;
  const prompt = isEdited ? await readPrompt(words, file) : undefined;
  return withDaemon(tasks, parsed, async (client) => {
    const { id, session_id } = await findOne(client, text, ['task']);
    const task = await client.sessions.retryTask(session_id, { task_id: id, prompt, files });
    const short = shortId(task.session_id);
    process.stdout.write(
      isSet(parsed, 'json')
        ? `${JSON.stringify(task, null, 2)}\n`
        : `Retrying in session ${short}. Watch it with "baton attach ${short}".\n`,
    );
    return 0;
  });
}

function cancel(parsed: Parsed, rest: readonly string[]): Promise<number> {
  const text = onlyArgument(rest, 'task', 'baton tasks cancel ID');
  return withDaemon(tasks, parsed, async (client) => {
    const { id } = await findOne(client, text, ['task']);
    const { status, session_id } = await client.tasks.get(id);
    if (status !== 'QUEUED') {
      throw new BatonError('conflict', `The task is no longer queued: it is ${status}.`, {
        hint: `Stop a running task with "baton stop ${shortId(id)}".`,
      });
    }
    const { receipt, task } = await client.sessions.stopTask(session_id, { task_id: id });
    told(parsed, task, receipt === 'cancelled' ? 'cancelled' : 'had just started and was stopped');
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

function statusOf(text: string | undefined): TaskStatus | undefined {
  if (text === undefined) return undefined;
  const status = TASK_STATUSES.find((each) => each === text.toUpperCase());
  if (status) return status;
  throw new BatonError('usage', `Unknown status "${text}".`, {
    hint: `Use one of ${TASK_STATUSES.map((each) => each.toLowerCase()).join(', ')}.`,
  });
}

function listText(page: Page<TaskRecord>): string {
  if (page.data.length === 0) return 'No tasks.\n';
  const rows = page.data.map((task) => [
    { text: shortId(task.task_id), format: 'bold' as const },
    shortId(task.session_id),
    statusCell(task),
    ago(task.created_at),
    task.description,
  ]);
  const heads = ['TASK', 'SESSION', 'STATUS', 'ASKED', 'PROMPT'];
  return tableText(process.stdout, heads, rows) + moreLine(page);
}
