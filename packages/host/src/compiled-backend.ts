import { basename } from 'node:path';
import { ownEntry } from '@baton/agents/backends/own';
import type { Registry } from '@baton/agents/registry/registry';
import type { Backend } from '@baton/engine/definition/backend';

/**
 * A compiled agent as a backend: it prints the events of Baton. It enforces its own permission mode, so that Baton runs
 * it with `allow-all`. One that gets no prompt uses its own.
 */
export function compiledBackend(
  registry: Registry,
  [program = '', ...args]: readonly string[],
  { hasPrompt }: { hasPrompt: boolean },
): Promise<Backend> {
  const name = basename(program);
  const entry = ownEntry({
    name,
    label: name,
    command: [program, ...args, '--print', '--json'],
    dialect: 'baton-json',
    prompt: hasPrompt ? 'stdin' : 'placeholder',
    resume: ['--resume', '{session}'],
    model: ['--model', '{model}'],
    capabilities: ['streaming', 'thinking', 'usage', 'cost', 'plan', 'subagents', 'diffs'],
    settingsPaths: [],
    keyVariables: [],
  });
  return registry.load(entry);
}
