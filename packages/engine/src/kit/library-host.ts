// Alone: all of the protocol would be most of what the child process takes to start.

import { isObject, parseJson } from '@baton/config/values/json';
import { LineSplitter } from '@baton/process/line-splitter';
import { BatonError, errorInfo } from '@baton/protocol/error';
import type { RequestAnswer } from '@baton/protocol/values';
import type {
  Dialect,
  DialectOut,
  EventDraft,
  PromptInput,
  StreamEnd,
  Verdict,
} from '../definition/dialect.ts';
import { DEFAULT_STOP, type Driver, type LaunchInput } from '../definition/driver.ts';
import { judgeEnd } from '../normalize/end-verdict.ts';

/** Options with which an agent that is a library is opened, in its own process. */
export type LibraryStart = Pick<LaunchInput, 'resume' | 'fork' | 'library'> & {
  options: Pick<
    LaunchInput['options'],
    | 'cwd'
    | 'model'
    | 'permissionMode'
    | 'systemPrompt'
    | 'providerOptions'
    | 'tools'
    | 'maxTurns'
    | 'outputSchema'
    | 'sessionId'
  >;
};

/** Message from the child process. */
type Told = { emit: EventDraft } | { complete: Verdict };
/** Command to the child process. */
type Command =
  | { open: LibraryStart }
  | { prompt: PromptInput }
  | { answer: RequestAnswer; requestId: string }
  | { steer: string }
  | { interrupt: true };

type LibraryDriverInput = Partial<Omit<Driver, 'launch' | 'dialect'>> & {
  /** Display name of the agent. */
  label: string;
  /** The program that calls `hostLibrary`; a function finds it when it is needed, with its first arguments. */
  program: string | (() => string | string[]);
  /** Throws if the agent must not be started. */
  check?(input: LaunchInput): void;
  /** Abilities of the library: to stop a turn, and to be steered. */
  canInterrupt?: boolean;
  canSteer?: boolean;
};

/**
 * The driver of an agent that is a library: it runs in a child process, so that it can be stopped reliably and cannot
 * harm its host. The program there loads the library and calls `hostLibrary`.
 */
export function libraryDriver({
  label,
  program,
  check,
  canInterrupt = true,
  canSteer = false,
  ...more
}: LibraryDriverInput): Driver {
  return {
    transport: 'library',
    keepsProcess: true,
    stop: DEFAULT_STOP,
    ...more,
    launch: (input) => {
      check?.(input);
      const found = typeof program === 'string' ? program : program();
      return { args: typeof found === 'string' ? [found] : found, stdin: 'open' };
    },
    dialect: (out, input) => {
      const send = (command: Command) => out.write(JSON.stringify(command));
      return {
        open: () => send({ open: startOf(input) }),
        prompt: (prompt) => send({ prompt }),
        line: (line) => take(out, line),
        answer: (requestId, answer) => send({ requestId, answer }),
        ...(canSteer ? { steer: (text: string) => send({ steer: text }) } : {}),
        ...(canInterrupt
          ? {
              interrupt: () => {
                send({ interrupt: true });
                return true;
              },
            }
          : {}),
        end: (end: StreamEnd) => judgeEnd(end, label),
      } satisfies Dialect;
    },
  };
}

function startOf({
  options,
  resume,
  fork,
  library,
}: Pick<LaunchInput, 'options' | 'resume' | 'fork' | 'library'>): LibraryStart {
  const { cwd, model, permissionMode, systemPrompt, providerOptions } = options;
  const { tools, maxTurns, outputSchema, sessionId } = options;
  return {
    resume,
    fork,
    library,
    options: {
      cwd,
      model,
      permissionMode,
      systemPrompt,
      providerOptions,
      tools,
      maxTurns,
      outputSchema,
      sessionId,
    },
  };
}

function take(out: DialectOut, line: string): void {
  const told = parseJson(line);
  if (isObject(told) && isObject(told.emit)) return out.emit(told.emit as EventDraft);
  if (isObject(told) && isObject(told.complete)) return out.complete(told.complete as Verdict);
  out.emit({ type: 'unparsed', line, source: 'stdout' });
}

/** A library as the child process drives it. */
export type HostedLibrary = {
  /** Runs one prompt; resolves to the verdict on the turn. */
  prompt(prompt: PromptInput): Promise<Verdict>;
  answer?(requestId: string, answer: RequestAnswer): void;
  steer?(text: string): void;
  interrupt?(): void;
};

/** Runs a library for `libraryDriver`, over standard input and output, until its input ends. */
export function hostLibrary(
  open: (start: LibraryStart, emit: (draft: EventDraft) => void) => Promise<HostedLibrary>,
): void {
  const tell = (told: Told) => process.stdout.write(`${JSON.stringify(told)}\n`);
  // What the library prints must not be taken for what is told.
  console.log = console.info = console.debug = console.error;
  let library: Promise<HostedLibrary> | undefined;
  const apply = async (command: Command) => {
    if ('open' in command) library = open(command.open, (draft) => tell({ emit: draft }));
    if ('prompt' in command) {
      const turn = library?.then((agent) => agent.prompt(command.prompt));
      return tell({ complete: await (turn ?? notOpened()).catch(failed) });
    }
    // A library that could not be opened says why when it gets its prompt.
    const agent = await library?.catch(() => undefined);
    if (!agent || 'open' in command) return;
    if ('answer' in command) agent.answer?.(command.requestId, command.answer);
    if ('steer' in command) agent.steer?.(command.steer);
    if ('interrupt' in command) agent.interrupt?.();
  };
  // Not with readline, for which a line also ends at U+2028.
  const lines = new LineSplitter((line) => void apply(JSON.parse(line) as Command));
  process.stdin.on('data', (chunk: Buffer) => lines.push(chunk));
  process.stdin.on('end', () => process.exit(0));
}

async function notOpened(): Promise<never> {
  throw new BatonError('internal', 'The library got a prompt before it was opened.');
}

function failed(error: unknown): Verdict {
  if (BatonError.is(error)) return { outcome: 'failed', error: error.toJSON() };
  const message = error instanceof Error ? error.message : String(error);
  return { outcome: 'failed', error: errorInfo('agent_failed', message) };
}
