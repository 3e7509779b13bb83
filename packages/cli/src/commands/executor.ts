import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  checkPayload,
  type ExecutorPayload,
  executorMain,
  parsePayload,
  type TaskWatch,
} from '@baton/executor';
import { BatonError, PERMISSION_MODES } from '@baton/protocol';
import { homeFolder } from '@baton/runtime';
import { type Command, type Parsed, textOf } from '../command.ts';
import { EXIT, exitCodeOfError, exitCodeOfRun } from '../exit-codes.ts';
import { executorWatch } from '../remote/executor-watch.ts';
import { errorLines } from '../view/error.ts';

const DAEMON_URL = 'http://localhost:3030';

export const executor: Command = {
  name: 'executor',
  summary: 'Carry out one task of a daemon, on this machine.',
  usage: 'baton executor [options]',
  optionsOnly: true,
  options: {
    'session-token': {
      type: 'string',
      value: 'TOKEN',
      about: 'who is asking; others can see it here: BATON_TOKEN is safer',
    },
    'session-id': { type: 'string', value: 'ID', about: 'the session that the task must be of' },
    'task-id': {
      type: 'string',
      value: 'ID',
      about: 'the task, or the beginning of its id (the next one that waits)',
    },
    prompt: { type: 'string', value: 'PROMPT', about: 'the prompt that the task must have' },
    tool: {
      type: 'string',
      value: 'NAME',
      about: 'the agent that the task must be for',
      choices: 'backends',
    },
    'permission-mode': {
      type: 'string',
      value: 'MODE',
      about: 'a stricter mode than the one that the task has',
      choices: PERMISSION_MODES,
    },
    'daemon-url': { type: 'string', value: 'URL', about: `the daemon (${DAEMON_URL})` },
  },
  notes: [
    'The daemon starts its executors by itself, and tells them what to do on standard input.',
    'By hand it works on any machine that reaches the daemon: with a token and --daemon-url.',
  ],
  // A connection that died without a word would keep this process for half a minute more.
  run: async (parsed) => process.exit(await exitCodeOf(parsed)),
};

async function exitCodeOf(parsed: Parsed): Promise<number> {
  const payload = await payloadFrom(parsed);
  try {
    if (isTyped(parsed)) return await carryOutFor(payload);
    await executorMain(payload);
    return EXIT.done;
  } catch (error) {
    const known = BatonError.is(error) ? error : new BatonError('internal', String(error));
    process.stderr.write(`${errorLines(known.toJSON()).join('\n')}\n`);
    return known.code === 'interrupted' ? EXIT.interrupted : exitCodeOfError(known.code);
  }
}

/** Carries out a task for the person who started it here, and ends as `baton run` would. */
async function carryOutFor(payload: ExecutorPayload): Promise<number> {
  let exitCode: number = EXIT.done;
  const watch: TaskWatch = {
    ...executorWatch,
    ended(start, result) {
      executorWatch.ended(start, result);
      exitCode = exitCodeOfRun(result, false);
    },
  };
  await executorMain(payload, watch);
  return exitCode;
}

async function payloadFrom(parsed: Parsed): Promise<ExecutorPayload> {
  const token = textOf(parsed, 'session-token') ?? process.env.BATON_TOKEN;
  // The agent inherits the environment, and must not find it there.
  delete process.env.BATON_TOKEN;
  if (!isTyped(parsed)) return parsePayload(await text(process.stdin));
  if (!token) {
    throw new BatonError('unauthenticated', 'There is no token to take a task with.', {
      hint: 'Set BATON_TOKEN.',
    });
  }
  if (textOf(parsed, 'session-token')) {
    process.stderr.write('Others on this machine can see the token: BATON_TOKEN is safer.\n');
  }
  return checkPayload({
    daemonUrl: textOf(parsed, 'daemon-url') ?? DAEMON_URL,
    token,
    spoolFolder: join(homeFolder(), '.baton/spool'),
    taskId: textOf(parsed, 'task-id'),
    sessionId: textOf(parsed, 'session-id'),
    prompt: textOf(parsed, 'prompt'),
    tool: textOf(parsed, 'tool'),
    permissionMode: textOf(parsed, 'permission-mode'),
  });
}

/** Whether a person has said what to do; the daemon says it on standard input. */
function isTyped({ values }: Parsed): boolean {
  return Object.values(values).some((value) => value !== undefined);
}
