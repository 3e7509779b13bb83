import type { EventOf } from '@baton/protocol';
import { type AgentRun, loadSettings, nobodyToAsk } from '@baton/runtime';
import { TerminalAsker } from '../ask.ts';
import { chosenBackend, chosenBackendOrDemo } from '../choose-backend.ts';
import { type Command, isSet, type Parsed, settingFlags, textOf } from '../command.ts';
import { isDenial } from '../denial.ts';
import { drained } from '../drained.ts';
import { exitCodeOfRun } from '../exit-codes.ts';
import { stopOnInterrupt } from '../interrupts.ts';
import { readPrompt } from '../prompt-source.ts';
import { jsonView } from '../view/json.ts';
import { launchLine } from '../view/launch.ts';
import { plainView } from '../view/plain.ts';
import { TerminalView } from '../view/terminal.ts';
import type { View } from '../view/view.ts';
import { AGENT_OPTIONS, RUN_OPTIONS, runOptions } from './run-options.ts';

/** How long a run that was stopped waits for somebody to read the rest of it. */
const READER_MS = 1000;

export const run: Command = {
  name: 'run',
  summary: 'Run one prompt and show what the agent does.',
  usage: 'baton run [options] "prompt"',
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
  },
  notes: [
    'Without a prompt it is read from standard input. Times are 90, 90s, 5m or 1h.',
    'The value of --option is JSON where it is an object, a list, true, false or a number;',
    'quotes make a text of anything, as in --option \'effort="3"\'.',
    'Ctrl-C stops the agent and everything it started; a second Ctrl-C forces it.',
    'Exit codes: 0 done, 1 failed, 2 usage, 3 timeout, 4 no such session,',
    '            5 permission denied with nobody to ask, 130 interrupted.',
  ],
  run: runPrompt,
};

async function runPrompt(parsed: Parsed): Promise<number> {
  const json = isSet(parsed, 'json');
  const verbose = isSet(parsed, 'verbose');
  const atTerminal = !json && process.stdout.isTTY === true && process.stdin.isTTY === true;
  const tell = (line: string) => void process.stderr.write(`${line}\n`);
  const settings = loadSettings({
    program: 'baton',
    cwd: textOf(parsed, 'cwd'),
    flags: settingFlags(run, parsed),
  });
  for (const warning of settings.warnings) tell(`warning: ${warning}`);
  const options = runOptions(parsed, settings);
  const prompt = await readPrompt(parsed.positionals, textOf(parsed, 'file'));
  const backend = atTerminal
    ? await chosenBackendOrDemo(settings, tell)
    : await chosenBackend(settings);
  if (verbose) tell(`backend: ${backend.id} (${settings.origin('backend')})`);

  const view = chooseView(json, verbose);
  // With a person there, or with everything allowed, a denial is nobody's absence.
  const isAttended = atTerminal || options.permissionMode === 'allow-all';
  const agentRun = backend.run({
    ...options,
    prompt,
    onRequest: atTerminal ? undefined : nobodyToAsk,
    onLaunch: verbose ? (command) => tell(launchLine(command)) : undefined,
  });
  const release = stopOnInterrupt(agentRun, (line) => {
    view.pause?.();
    tell(line);
    view.resume?.();
  });
  try {
    const asker = atTerminal ? new TerminalAsker(agentRun, view) : undefined;
    const { result, denied } = await showAll(agentRun, view, asker);
    const code = exitCodeOfRun(result, denied && !isAttended);
    if (result.outcome === 'cancelled') await leaveUnread(code);
    return code;
  } finally {
    release();
  }
}

async function showAll(
  agentRun: AgentRun,
  view: View,
  asker: TerminalAsker | undefined,
): Promise<{ result: EventOf<'run.completed'>; denied: boolean }> {
  let denied = false;
  for await (const event of agentRun) {
    view.show(event);
    asker?.see(event);
    if (isDenial(event)) denied = true;
    if (event.type === 'run.completed') return { result: event, denied };
    await drained(process.stdout, agentRun.result);
  }
  throw new Error('The run ended without a result.');
}

/** Whoever stops a run because its reader does not read must not have to wait for that reader. */
async function leaveUnread(code: number): Promise<void> {
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, READER_MS);
  await drained(process.stdout, enough);
  clearTimeout(timer);
  if (process.stdout.writableNeedDrain) process.exit(code);
}

function chooseView(json: boolean, verbose: boolean): View {
  if (json) return jsonView();
  return process.stdout.isTTY ? new TerminalView({ verbose }) : plainView();
}
