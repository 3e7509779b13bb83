import { createBaton } from '@baton/agents/registry/create-baton';
import { loadSettings } from '@baton/config/settings';
import { similarNames } from '@baton/config/values/similar-names';
import { BatonError } from '@baton/protocol/values';
import { type Command, helpText, parseCommand } from './arguments/command.ts';
import { COMMANDS } from './commands/index.ts';
import { EXIT, exitCodeOfError } from './exit-codes.ts';
import { dropSecretVariables, readSecretFiles } from './secret-variables.ts';
import { reportOutputFailure } from './terminal/output-failure.ts';
import { errorLines } from './view/error-lines.ts';
import { WORKSPACE_HELPER } from './workspace-helper.ts';

/** Runs one call of `baton` and sets the exit code. */
export async function main(args: string[]): Promise<void> {
  // The reader of stderr is gone; that is not a failure.
  process.stderr.on('error', () => {});
  reportOutputFailure();
  process.exitCode = await call(args).catch(report);
}

async function call([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const known = args[0] === undefined ? undefined : COMMANDS.get(args[0]);
    process.stdout.write(known ? helpText(await known.load()) : overview());
    return name === undefined ? EXIT.usage : EXIT.done;
  }
  if (name === WORKSPACE_HELPER) return helpWithWorkspace();
  const command = await find(name);
  if (command.name !== 'run') process.stdout.once('error', () => process.exit(EXIT.failed));
  const wantsHelp = beforeSeparator(args).some((arg) => arg === '--help' || arg === '-h');
  if (wantsHelp) {
    process.stdout.write(helpText(command));
    return EXIT.done;
  }
  const parsed = parseCommand(command, args);
  if (command.startsAgents) dropSecretVariables();
  readSecretFiles();
  // Commands that need the settings report their problems.
  checkCurrentFolder();
  const settings = loadSettings({ program: 'baton', onProblem: () => {} });
  return command.run(parsed, await createBaton({ settings }));
}

function checkCurrentFolder(): void {
  try {
    process.cwd();
  } catch (cause) {
    throw new BatonError('cwd_missing', 'The current folder no longer exists.', {
      hint: 'Change to another folder and try again.',
      cause,
    });
  }
}

/** Carries out what a daemon or an executor sends; it runs in the isolation of a session, where no setting is read. */
async function helpWithWorkspace(): Promise<number> {
  const { runHelper } = await import('@baton/workspaces');
  await runHelper({ input: process.stdin, output: process.stdout });
  return EXIT.done;
}

async function find(name: string): Promise<Command> {
  const known = COMMANDS.get(name);
  if (known) return known.load();
  const guesses = similarNames(name, COMMANDS.keys());
  throw new BatonError('usage', `Unknown command "${name}".`, {
    hint:
      guesses.length > 0
        ? `Did you mean "${guesses.join('" or "')}"? See "baton --help".`
        : `Commands: ${[...COMMANDS.keys()].join(', ')}. See "baton --help".`,
  });
}

function overview(): string {
  const entries = [...COMMANDS];
  const width = Math.max(...entries.map(([name]) => name.length));
  return [
    'Run coding agents through one command and one event stream.',
    '',
    'Usage: baton <command> [options]',
    '',
    'Commands:',
    ...entries.map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Options:',
    '  -h, --help     show this help; "baton <command> --help" for details',
    '  -V, --version  show the version',
    '',
    'Try it without any agent: baton run --backend demo "Say hello"',
    '',
  ].join('\n');
}

function beforeSeparator(args: string[]): string[] {
  const end = args.indexOf('--');
  return end === -1 ? args : args.slice(0, end);
}

function report(error: unknown): number {
  const known = BatonError.is(error)
    ? error
    : new BatonError(
        'internal',
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
  process.stderr.write(`${errorLines(known.toJSON()).join('\n')}\n`);
  return exitCodeOfError(known.code);
}
