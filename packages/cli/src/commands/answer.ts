import type { PendingRecord } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { type Command, isSet, type Parsed, textOf } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { shortId } from '../remote/find-one.ts';
import { permissionAnswer, questionAnswer } from '../remote/given-answer.ts';
import {
  findRequest,
  questionsOf,
  readInbox,
  requestWords,
  shortRequest,
} from '../remote/inbox.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { ago } from '../view/format.ts';
import { tableText } from '../view/table.ts';

export const answer: Command = {
  name: 'answer',
  summary: 'List what waits for a person, over all sessions, and answer it.',
  usage: 'baton answer [REQUEST allow|deny] [options]',
  words: ['allow', 'deny'],
  options: {
    scope: {
      type: 'string',
      value: 'SCOPE',
      about: 'for how long to allow it: once, session or always',
      choices: ['once', 'session', 'always'],
    },
    pattern: {
      type: 'string',
      value: 'TEXT',
      about: 'what else a longer scope allows, with * for anything; the same again without it',
    },
    reason: { type: 'string', value: 'TEXT', about: 'why it is denied; the agent is told' },
    stop: { type: 'boolean', about: 'deny it, and end the turn of the agent' },
    input: { type: 'string', value: 'JSON', about: 'allow it with this input instead' },
    choose: {
      type: 'string',
      multiple: true,
      value: 'N|TEXT',
      about: 'the answer to a question: the number of an option, several with commas, or words',
    },
    json: { type: 'boolean', about: 'print it as JSON' },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'REQUEST is what the list shows: the beginning of its task, a colon, and its own id.',
    'The first answer counts: one that comes later is told so, with exit code 1.',
  ],
  async run(parsed) {
    const [text, word, ...rest] = parsed.positionals;
    if (rest.length > 0) throw new BatonError('usage', `What is "${rest[0]}" for?`);
    if (text !== undefined) return give(parsed, text, word);
    const useless = ANSWERS.find((name) => parsed.values[name] !== undefined);
    if (useless) throw new BatonError('usage', `--${useless} needs the request that it answers.`);
    return list(parsed);
  },
};

/** What only makes sense with a request. */
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
        ? questionAnswer(parsed, word, questionsOf(found.request))
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
    process.stderr.write('The answer came late: the request was settled already.\n');
  } else {
    process.stdout.write(`The agent of task ${shortId(place?.task_id ?? '')} gets your answer.\n`);
  }
  return isLate ? EXIT.failed : EXIT.done;
}

function listText(inbox: readonly PendingRecord[]): string {
  if (inbox.length === 0) return 'Nothing waits for you.\n';
  const rows = inbox.map((request) => [
    { text: shortRequest(request), format: 'bold' as const },
    shortId(request.session_id),
    ago(request.asked_at),
    request.kind,
    requestWords(request),
  ]);
  return tableText(process.stdout, ['REQUEST', 'SESSION', 'ASKED', 'KIND', 'WHAT'], rows);
}
