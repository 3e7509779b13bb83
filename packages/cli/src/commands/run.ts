import {
  type Backend,
  keepDecision,
  loadSettings,
  nobodyToAsk,
  type RunInput,
  type Settings,
} from '@baton/runtime';
import { chosenBackend, chosenBackendOrDemo } from '../choose-backend.ts';
import {
  type Command,
  isSet,
  type Parsed,
  settingFlags,
  settingOption,
  textOf,
} from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { explained } from '../explain-error.ts';
import { fitSettings } from '../fit-settings.ts';
import { readPrompt } from '../prompt-source.ts';
import { type Explain, showRun } from '../show-run.ts';
import { usedParts } from '../used-parts.ts';
import { fitted } from '../view/fitted.ts';
import { launchLine } from '../view/launch.ts';
import { AGENT_OPTIONS, RUN_OPTIONS, runOptions } from './run-options.ts';

export const run: Command = {
  name: 'run',
  summary: 'Run one prompt and show what the agent does.',
  usage: 'baton run [options] "prompt"',
  promptAfter: 'baton run',
  options: {
    ...AGENT_OPTIONS,
    ...RUN_OPTIONS,
    file: {
      type: 'string',
      short: 'f',
      value: 'FILE',
      about: 'take the prompt from a file',
      choices: 'files',
    },
    json: { type: 'boolean', about: 'print one event per line, as JSON' },
    verbose: {
      type: 'boolean',
      short: 'v',
      about: 'also show the backend, its command and all notices',
    },
    daemon: settingOption('daemonUrl', {
      value: 'URL',
      about: 'run it through a daemon: its address, or "auto" for the one on this machine',
    }),
    session: {
      type: 'string',
      value: 'ID',
      about: 'go on in this session of the daemon',
    },
  },
  notes: [
    'Without a prompt it is read from standard input; one that begins with a dash stands behind --.',
    'Times are 90, 90s, 5m or 1h.',
    'The value of --option is JSON where it is an object, a list, true, false or a number;',
    'quotes make a text of anything, as in --option \'effort="3"\'.',
    'Ctrl-C stops the agent and everything it started; a second Ctrl-C forces it.',
    'Exit codes: 0 done, 1 failed, 2 usage, 3 timeout, 4 no such session,',
    '            5 permission denied with nobody to ask, or not logged in to the daemon,',
    '            6 no daemon answers, 130 interrupted or stopped.',
  ],
  run: runPrompt,
};

async function runPrompt(parsed: Parsed): Promise<number> {
  const json = isSet(parsed, 'json');
  const verbose = isSet(parsed, 'verbose');
  const tell = (line: string) => void process.stderr.write(`${fitted(process.stderr, line)}\n`);
  const settings = loadSettings({
    program: 'baton',
    cwd: textOf(parsed, 'cwd'),
    flags: settingFlags(run, parsed),
  });
  for (const warning of settings.warnings) tell(`warning: ${warning}`);
  const remote = isRemote(parsed) ? await import('../remote/run-remotely.ts') : undefined;
  // Whoever forgot the address has given the prompt in its place.
  remote?.checkAddress(run, parsed);
  // A session has its own mode and model: only who names another one means it.
  const isInSession = textOf(parsed, 'session') !== undefined;
  const asked = runOptions(parsed, isInSession ? settings.onlyFlags() : settings);
  const prompt = await readPrompt(parsed.positionals, textOf(parsed, 'file'));
  const atTerminal = !json && isAttended();
  const backend = await backendFor(parsed, settings, atTerminal ? tell : undefined);
  const warn = (warning: string) => tell(`warning: ${warning}`);
  const options = fitSettings(asked, settings, backend, warn);
  if (verbose) tell(`backend: ${backend.id} (${settings.origin('backend')})`);

  usedParts
    .add(`${backend.id} ${options.transport ?? 'live'}`)
    .add(json ? 'json' : atTerminal ? 'terminal' : 'plain');
  const request = { ...options, prompt };
  const shown = { json, verbose, atTerminal, permissionMode: options.permissionMode, tell };
  if (remote) return remote.runRemotely(run, parsed, { backend: backend.id, ...request }, shown);
  const trusted = atTerminal ? await askedTrust(backend, request) : undefined;
  if (trusted === 'interrupted') return EXIT.interrupted;
  const agentRun = backend.run({
    ...request,
    ...(trusted === undefined ? {} : { trusted }),
    onRequest: atTerminal ? undefined : nobodyToAsk,
    onLaunch: verbose ? (command) => tell(launchLine(command)) : undefined,
  });
  const explain: Explain = (error, printed) => explained(error, { backend, settings, printed });
  return showRun(agentRun, { ...shown, explain });
}

/** Only loaded for a folder that brings settings about which nobody decided. */
async function askedTrust(backend: Backend, request: RunInput) {
  const trust = backend.trustOf(request);
  if (trust.decidedBy !== undefined || trust.settings.length === 0) return undefined;
  const { askTrust } = await import('../ask-trust.ts');
  const keep = (trusted: boolean) => keepDecision(trust.folder, trusted);
  return askTrust({ label: backend.label, trust, keep });
}

/** Whether a person is there to see and to answer; one who typed the prompt to its end has closed the keyboard. */
function isAttended(): boolean {
  // Only looked at when it matters: opening the input costs some milliseconds.
  if (!process.stdout.isTTY) return false;
  return process.stdin.isTTY && !process.stdin.readableEnded;
}

function isRemote(parsed: Parsed): boolean {
  return textOf(parsed, 'daemon') !== undefined || textOf(parsed, 'session') !== undefined;
}

/** What is installed here says nothing of the machine of a daemon. */
function backendFor(
  parsed: Parsed,
  settings: Settings,
  tell: ((line: string) => void) | undefined,
): Promise<Backend> {
  return tell && !isRemote(parsed) ? chosenBackendOrDemo(settings, tell) : chosenBackend(settings);
}
