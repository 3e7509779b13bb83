import type { PendingRecord } from '@baton/client';
import { BatonError } from '@baton/protocol/values';
import { type Command, isSet, type Parsed, textOf } from '../arguments/command.ts';
import { EXIT } from '../exit-codes.ts';
import { shortId } from '../remote/find-one.ts';
import { permissionAnswer, questionAnswer } from '../remote/given-answer.ts';
import { findRequest, readInbox, requestWords, shortRequest } from '../remote/inbox.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { ago } from '../view/format.ts';
import { tableText } from '../view/table.ts';

export const answer: Command = {
  name: 'answer',
  summary: 'List pending requests of all sessions and answer them.',
  usage: 'baton answer [REQUEST allow|deny] [options]',
  words: ['allow', 'deny'],
  options: {
    scope: {
      type: 'string',
      value: 'SCOPE',
      about: 'scope of the permission: once, session or always',
      choices: ['once', 'session', 'always'],
    },
    pattern: {
      type: 'string',
      value: 'TEXT',
      about: 'pattern to allow for the scope; * is a wildcard (default: exact match)',
    },
    reason: { type: 'string', value: 'TEXT', about: 'reason for denying, sent to the agent' },
    stop: { type: 'boolean', about: 'deny and stop the turn' },
    input: { type: 'string', value: 'JSON', about: 'allow with this input instead' },
    choose: {
      type: 'string',
      multiple: true,
      value: 'N|TEXT',
      about: 'answer to a question: option numbers separated by commas, or free text',
    },
    json: { type: 'boolean', about: 'print as JSON' },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'REQUEST is the id shown in the list: a task id prefix, a colon and the request id.',
    'The first answer wins; a late answer exits with code 1.',
  ],
  async run(parsed) {
    const [text, word, ...rest] = parsed.positionals;
    if (rest.length > 0) throw new BatonError('usage', `Unexpected argument "${rest[0]}".`);
    if (text !== undefined) return give(parsed, text, word);
    const useless = ANSWERS.find((name) => parsed.values[name] !== undefined);
    if (useless) throw new BatonError('usage', `--${useless} requires a REQUEST.`);
    return list(parsed);
  },
};

/** Options that require a request. */
const ANSWERS = ['scope', 'pattern', 'reason', 'stop', 'input', 'choose'] as const;

function list(parsed: Parsed): Promise<number> {
  return withDaemon(answer, parsed, async (client) => {
    const inbox = await readInbox(client);
    process.stdout.write(
      isSet(parsed, 'json') ? `${JSON.stringify(inbox, null, 2)}\n` : listText(inbox),
    );
    return EXIT.done;
  });
}

function give(parsed: Parsed, text: string, word: string | undefined): Promise<number> {
  return withDaemon(answer, parsed, async (client) => {
    const found = await findRequest(client, text);
    if (!found) return told(parsed, 'late');
    const { session_id, task_id, request_id } = found;
    const given =
      found.kind === 'question'
        ? questionAnswer(parsed, word, found.request.questions)
        : permissionAnswer(parsed, word);
    const place = { session_id, task_id, request_id };
    const pattern = textOf(parsed, 'pattern');
    const { receipt } = await client.permissions.answer({ ...place, answer: given, pattern });
    return told(parsed, receipt, place);
  });
}

function told(parsed: Parsed, receipt: 'accepted' | 'late', place?: { task_id: string }): number {
  const isLate = receipt === 'late';
  if (isSet(parsed, 'json')) {
    process.stdout.write(`${JSON.stringify({ receipt, ...place }, null, 2)}\n`);
  } else if (isLate) {
    process.stderr.write('Too late: the request was already answered.\n');
  } else {
    process.stdout.write(`The agent of task ${shortId(place?.task_id ?? '')} gets your answer.\n`);
  }
  return isLate ? EXIT.failed : EXIT.done;
}

function listText(inbox: readonly PendingRecord[]): string {
  if (inbox.length === 0) return 'No pending requests.\n';
  const rows = inbox.map((request) => [
    { text: shortRequest(request), format: 'bold' as const },
    shortId(request.session_id),
    ago(request.asked_at),
    request.kind,
    requestWords(request),
  ]);
  return tableText(process.stdout, ['REQUEST', 'SESSION', 'ASKED', 'KIND', 'WHAT'], rows);
}
