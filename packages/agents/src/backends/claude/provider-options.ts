import type { ProviderOption } from '@baton/engine/definition/backend';

type Option = ProviderOption & { args(value: never): string[] };

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const text = (name: string): Option => ({
  schema: { type: 'string' },
  fits: isText,
  what: 'a string',
  args: (value) => [name, value],
});

/** The options that only Claude has. */
export const PROVIDER_OPTIONS: Readonly<Record<string, Option>> = {
  addDirs: {
    schema: { type: 'array', items: { type: 'string' } },
    fits: (value) => Array.isArray(value) && value.every(isText),
    what: 'a list of paths',
    args: (value: string[]) => value.flatMap((folder) => ['--add-dir', folder]),
  },
  agents: {
    schema: { type: 'object' },
    fits: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    what: 'an object with one agent per name',
    args: (value) => ['--agents', JSON.stringify(value)],
  },
  effort: text('--effort'),
  fallbackModel: text('--fallback-model'),
  // The two below choose among flags that are there anyway.
  plan: {
    schema: { type: 'boolean' },
    fits: (value) => typeof value === 'boolean',
    what: 'true or false',
    args: () => [],
  },
  outputFormat: {
    schema: { type: 'string', enum: ['json', 'stream-json', 'text'] },
    fits: (value) => value === 'json' || value === 'stream-json' || value === 'text',
    what: 'json, stream-json or text',
    args: () => [],
  },
};

/** The arguments for options that only Claude has. */
export function providerArgs(options: Record<string, unknown> = {}): string[] {
  return Object.entries(options).flatMap(
    ([name, value]) => PROVIDER_OPTIONS[name]?.args(value as never) ?? [],
  );
}
