import { writeSync } from 'node:fs';
import { BatonError } from '@baton/protocol/values';
import { helpText, parseCommand } from '../arguments/command.ts';
import { EXIT, USAGE_CODES } from '../exit-codes.ts';
import { checkAgent } from './check-agent.ts';
import { CHILD_FLAG, DESCRIBE, DESCRIPTION_FD, type Description } from './child-arguments.ts';
import { agentCommand, readFlags, withoutAliases } from './flags.ts';
import { filesOf, type IncludedFiles, withFiles } from './included-files.ts';

/** Parts of a compiled file. */
type CompiledFile = {
  /** Loads a part of it by its name; `./agent.js` is the agent file. */
  load(part: string): unknown;
  files: IncludedFiles;
};

/** Starts a compiled agent, or one of the programs of Baton in it. Help loads only the modules imported here. */
export function start(file: CompiledFile): void {
  const [first, part = ''] = process.argv.slice(2);
  if (first !== CHILD_FLAG) {
    void call(file, process.argv.slice(2));
    return;
  }
  if (part === DESCRIBE) return describe(file);
  file.load(`./${part}.js`);
}

async function call(file: CompiledFile, args: readonly string[]): Promise<void> {
  try {
    process.exitCode = await run(file, args);
  } catch (error) {
    process.exitCode = await report(error);
  }
}

async function run({ load, files }: CompiledFile, args: readonly string[]): Promise<number> {
  const agent = checkAgent(load('./agent.js'));
  const command = agentCommand(agent);
  const parsed = parseCommand(command, withoutAliases(args));
  if (parsed.values.help) {
    process.stdout.write(helpText(command));
    return EXIT.done;
  }
  const { runAgent } = await import('./run-agent.ts');
  return runAgent(withFiles(agent, files), readFlags(parsed), parsed.positionals);
}

function describe({ load }: CompiledFile): void {
  writeSync(DESCRIPTION_FD, JSON.stringify(description(load)));
}

function description(load: CompiledFile['load']): Description {
  try {
    const agent = checkAgent(load('./agent.js'));
    return { name: agent.name, files: filesOf(agent) };
  } catch (error) {
    if (BatonError.is(error)) return { error: error.toJSON() };
    const why = error instanceof Error ? error.message : String(error);
    return { error: { code: 'usage', message: `The agent file fails when it is loaded: ${why}` } };
  }
}

async function report(error: unknown): Promise<number> {
  const { errorLines } = await import('../view/error-lines.ts');
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const known = BatonError.is(error) ? error : new BatonError('internal', words);
  process.stderr.write(`${errorLines(known.toJSON()).join('\n')}\n`);
  return USAGE_CODES.has(known.code) ? EXIT.usage : EXIT.failed;
}
