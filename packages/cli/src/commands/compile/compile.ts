import { relative } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { type Command, isSet, type Parsed, textOf } from '../../arguments/command.ts';
import { EXIT } from '../../exit-codes.ts';
import { compileAgent } from './compile-agent.ts';

export const compile: Command = {
  name: 'compile',
  summary: 'Compile an agent file into one program.',
  usage: 'baton compile [options] FILE',
  options: {
    output: {
      type: 'string',
      short: 'o',
      value: 'PATH',
      about: 'the program to write; named after the agent by default',
      choices: 'files',
    },
    json: { type: 'boolean', about: 'print the result as JSON' },
  },
  notes: [
    'FILE is TypeScript or JavaScript with export default defineAgent({ … }).',
    'The program needs only Node 22.14 or newer. See docs/compiled-agents.md.',
  ],
  run: compileFile,
};

async function compileFile(parsed: Parsed): Promise<number> {
  const [file, ...rest] = parsed.positionals;
  if (file === undefined || rest.length > 0) {
    throw new BatonError('usage', 'Expected one FILE.', {
      hint: 'For example: baton compile agent.ts --output my-agent',
    });
  }
  const warn = (warning: string) => void process.stderr.write(`warning: ${warning}\n`);
  const compiled = await compileAgent({ file, output: textOf(parsed, 'output'), warn });
  const { path, bytes } = compiled;
  process.stdout.write(
    isSet(parsed, 'json')
      ? `${JSON.stringify(compiled)}\n`
      : `${relative('.', path)} (${(bytes / 1e6).toFixed(1)} MB)\n`,
  );
  return EXIT.done;
}
