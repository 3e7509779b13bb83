import { BatonError } from '@baton/protocol';

type Value = { fits(value: unknown): boolean; what: string; args(value: unknown): string[] };

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const text = (name: string): Value => ({
  fits: isText,
  what: 'a text',
  args: (value) => [name, String(value)],
});

const OPTIONS = new Map<string, Value>(
  Object.entries({
    addDirs: {
      fits: (value) => Array.isArray(value) && value.every(isText),
      what: 'a list of paths',
      args: (value) => (value as string[]).flatMap((folder) => ['--add-dir', folder]),
    },
    agents: {
      fits: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      what: 'an object with an agent per name',
      args: (value) => ['--agents', JSON.stringify(value)],
    },
    effort: text('--effort'),
    fallbackModel: text('--fallback-model'),
    // The two below choose among flags that are there anyway.
    plan: { fits: (value) => typeof value === 'boolean', what: 'true or false', args: () => [] },
    outputFormat: {
      fits: (value) => value === 'json' || value === 'stream-json' || value === 'text',
      what: 'json, stream-json or text',
      args: () => [],
    },
  }),
);

/** The arguments for options that only Claude has. */
export function providerArgs(options: Record<string, unknown> = {}): string[] {
  return Object.entries(options).flatMap(([name, value]) => OPTIONS.get(name)?.args(value) ?? []);
}

/** The names of the options that only Claude has. */
export const PROVIDER_OPTIONS: readonly string[] = [...OPTIONS.keys()];

/** Refuses provider options that have a wrong value. */
export function checkProviderOptions(options: Record<string, unknown> = {}): void {
  for (const [name, value] of Object.entries(options)) {
    const option = OPTIONS.get(name);
    if (option && !option.fits(value)) {
      throw new BatonError('usage', `The provider option "${name}" must be ${option.what}.`);
    }
  }
}
