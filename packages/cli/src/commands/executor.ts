import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Baton } from '@baton/agents/registry/baton';
import { homeFolder } from '@baton/config/paths/home-folder';
import {
  checkPayload,
  type ExecutorPayload,
  executorMain,
  parsePayload,
  type TaskWatch,
} from '@baton/executor';
import { BatonError, PERMISSION_MODES } from '@baton/protocol/values';
import { type Command, type Parsed, textOf } from '../arguments/command.ts';
import { EXIT, exitCodeOfError, exitCodeOfRun } from '../exit-codes.ts';
import { executorWatch } from '../remote/executor-watch.ts';
import { hideSecrets } from '../secret-variables.ts';
import { errorLines } from '../view/error-lines.ts';
import { workspaceHelper } from '../workspace-helper.ts';

const DAEMON_URL = 'http://localhost:3030';

export const executor: Command = {
  name: 'executor',
  summary: 'Run one queued task of a daemon on this machine.',
  usage: 'baton executor [options]',
  optionsOnly: true,
  startsAgents: true,
  options: {
    'session-token': {
      type: 'string',
      value: 'TOKEN',
      about: 'API token; visible to other users, so prefer BATON_TOKEN',
    },
    'session-id': { type: 'string', value: 'ID', about: 'run only a task of this session' },
    'task-id': {
      type: 'string',
      value: 'ID',
      about: 'task id or prefix (default: the next queued task)',
    },
    prompt: { type: 'string', value: 'PROMPT', about: 'run only a task with this prompt' },
    tool: {
      type: 'string',
      value: 'NAME',
      about: 'run only a task for this agent',
      choices: 'backends',
    },
    'permission-mode': {
      type: 'string',
      value: 'MODE',
      about: "use a stricter permission mode than the task's",
      choices: PERMISSION_MODES,
    },
    'daemon-url': { type: 'string', value: 'URL', about: `daemon URL (${DAEMON_URL})` },
  },
  notes: [
    'The daemon starts executors itself and passes them their task on stdin.',
    'To run one manually on any machine that can reach the daemon, pass a token and --daemon-url.',
  ],
  // A connection that died without a word would keep this process for half a minute more.
  run: async (parsed, baton) => process.exit(await exitCodeOf(parsed, baton)),
};

async function exitCodeOf(parsed: Parsed, baton: Baton): Promise<number> {
  const payload = await payloadFrom(parsed);
  try {
    if (isTyped(parsed)) return await carryOutFor(payload, baton);
    await executorMain(payload, { baton, helper: workspaceHelper() });
    return EXIT.done;
  } catch (error) {
    const known = BatonError.is(error) ? error : new BatonError('internal', String(error));
    process.stderr.write(`${errorLines(known.toJSON()).join('\n')}\n`);
    return known.code === 'interrupted' ? EXIT.interrupted : exitCodeOfError(known.code);
  }
}

/** Runs a task for the user who started it here, and exits as `baton run` would. */
async function carryOutFor(payload: ExecutorPayload, baton: Baton): Promise<number> {
  let exitCode: number = EXIT.done;
  const watch: TaskWatch = {
    ...executorWatch,
    ended(start, result) {
      executorWatch.ended(start, result);
      exitCode = exitCodeOfRun(result, false);
    },
  };
  await executorMain(payload, { baton, helper: workspaceHelper(), watch });
  return exitCode;
}

async function payloadFrom(parsed: Parsed): Promise<ExecutorPayload> {
  const token = textOf(parsed, 'session-token') ?? process.env.BATON_TOKEN;
  // The agent inherits the environment, and must not find it there.
  hideSecrets();
  if (!isTyped(parsed)) return parsePayload(await text(process.stdin));
  if (!token) {
    throw new BatonError('unauthenticated', 'Missing token.', {
      hint: 'Set BATON_TOKEN, or BATON_TOKEN_FILE to a file that contains it.',
    });
  }
  if (textOf(parsed, 'session-token')) {
    process.stderr.write(
      'Other users of this machine can see the token; set BATON_TOKEN instead.\n',
    );
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

/** True if a user started it with options; the daemon sends a payload on standard input instead. */
function isTyped({ values }: Parsed): boolean {
  return Object.values(values).some((value) => value !== undefined);
}
