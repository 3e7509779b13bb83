import type { AgentEvent, EventOf } from '@baton/protocol';
import { type AgentRun, loadSettings, nobodyToAsk } from '@baton/runtime';
import { type Asking, TerminalAsker } from '../ask.ts';
import { chosenBackend, chosenBackendOrDemo } from '../choose-backend.ts';
import { type Command, isSet, type Parsed, settingFlags, textOf } from '../command.ts';
import { Denials, deniedForNobody } from '../denial.ts';
import { drained } from '../drained.ts';
import { EXIT, exitCodeOfRun } from '../exit-codes.ts';
import { explained } from '../explain-error.ts';
import { fitSettings } from '../fit-settings.ts';
import { stopOnInterrupt } from '../interrupts.ts';
import { Keyboard } from '../keyboard.ts';
import { readPrompt } from '../prompt-source.ts';
import { usedParts } from '../used-parts.ts';
import { errorLines } from '../view/error.ts';
import { fitted } from '../view/fitted.ts';
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
  takesPrompt: true,
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
    'Without a prompt it is read from standard input; one that begins with a dash stands behind --.',
    'Times are 90, 90s, 5m or 1h.',
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
  const tell = (line: string) => void process.stderr.write(`${fitted(process.stderr, line)}\n`);
  const settings = loadSettings({
    program: 'baton',
    cwd: textOf(parsed, 'cwd'),
    flags: settingFlags(run, parsed),
  });
  for (const warning of settings.warnings) tell(`warning: ${warning}`);
  const asked = runOptions(parsed, settings);
  const prompt = await readPrompt(parsed.positionals, textOf(parsed, 'file'));
  const atTerminal = !json && isAttended();
  const backend = atTerminal
    ? await chosenBackendOrDemo(settings, tell)
    : await chosenBackend(settings);
  const warn = (warning: string) => tell(`warning: ${warning}`);
  const options = fitSettings(asked, settings, backend, warn);
  if (verbose) tell(`backend: ${backend.id} (${settings.origin('backend')})`);

  const view = chooseView(json, verbose);
  usedParts
    .add(`${backend.id} ${options.transport ?? 'live'}`)
    .add(json ? 'json' : atTerminal ? 'terminal' : 'plain');
  const agentRun = backend.run({
    ...options,
    prompt,
    onRequest: atTerminal ? undefined : nobodyToAsk,
    onLaunch: verbose ? (command) => tell(launchLine(command)) : undefined,
  });
  const keyboard = atTerminal ? new Keyboard() : undefined;
  const release = stopOnInterrupt(agentRun, (line) => {
    if (keyboard?.isAsking) return tell(`\n${line}`);
    view.pause?.();
    tell(line);
    view.resume?.();
  });
  keyboard?.open();
  try {
    const asking: Asking = {
      answer: (requestId, answer) => void agentRun.answer(requestId, answer),
      interrupt: () => void agentRun.cancel('Interrupted.'),
      ended: agentRun.result,
    };
    const asker = keyboard && new TerminalAsker(asking, view, keyboard);
    const explain: Explain = async (event, printed) =>
      json || !event.error
        ? event
        : { ...event, error: await explained(event.error, { backend, settings, printed }) };
    const { result, denied } = await showAll(agentRun, { view, asker, explain });
    // With a person there, or with everything allowed, a denial is nobody's absence.
    const isNobodysFault = atTerminal || options.permissionMode === 'allow-all';
    const code = exitCodeOfRun(result, denied > 0 && !isNobodysFault);
    if (code === EXIT.permissionDenied && !json)
      process.stderr.write(`${errorLines(deniedForNobody(denied)).join('\n')}\n`);
    if (result.outcome === 'cancelled') await leaveUnread(code);
    return code;
  } finally {
    keyboard?.close();
    release();
  }
}

/** Whether a person is there to see and to answer; one who typed the prompt to its end has closed the keyboard. */
function isAttended(): boolean {
  // Only looked at when it matters: opening the input costs some milliseconds.
  if (!process.stdout.isTTY) return false;
  return process.stdin.isTTY && !process.stdin.readableEnded;
}

/** Says more of a failure, with the first line that the agent printed and nobody could read. */
type Explain = (
  event: EventOf<'run.completed'>,
  printed: string | undefined,
) => Promise<EventOf<'run.completed'>>;

async function showAll(
  agentRun: AgentRun,
  { view, asker, explain }: { view: View; asker: TerminalAsker | undefined; explain: Explain },
): Promise<{ result: EventOf<'run.completed'>; denied: number }> {
  const denials = new Denials();
  let printed: string | undefined;
  for await (const event of agentRun) {
    if (event.type === 'run.completed') {
      view.show(await explain(event, printed));
      return { result: event, denied: denials.count };
    }
    view.show(event);
    asker?.see(event);
    denials.see(event);
    printed ??= strayLine(event);
    await drained(process.stdout, agentRun.result);
  }
  throw new Error('The run ended without a result.');
}

/** A line of the agent that is not in its language. */
function strayLine(event: AgentEvent): string | undefined {
  if (event.type === 'unparsed') return event.line;
  return event.type === 'notice' && event.code === 'text' ? event.message : undefined;
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
