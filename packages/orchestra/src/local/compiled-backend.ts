import { basename } from 'node:path';
import { type Backend, describedBackend } from '@baton/runtime/internal';

/**
 * A compiled agent as a backend: it prints the events of Baton. It enforces its own permission mode, so that Baton runs
 * it with `allow-all`.
 */
export function compiledBackend([program = '', ...args]: readonly string[]): Promise<Backend> {
  const name = basename(program);
  return describedBackend({
    name,
    label: name,
    command: [program, ...args, '--print', '--json'],
    dialect: 'baton-json',
    prompt: 'stdin',
    resume: ['--resume', '{session}'],
    model: ['--model', '{model}'],
    capabilities: ['streaming', 'thinking', 'usage', 'cost', 'plan', 'subagents', 'diffs'],
    settingsPaths: [],
    keyVariables: [],
  });
}
