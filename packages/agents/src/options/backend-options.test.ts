import type { Backend } from '@baton/engine/definition/backend';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { builtInBaton } from '../testing/built-in-baton.ts';
import type {
  AmpOptions,
  ClaudeOptions,
  CodexOptions,
  CursorOptions,
  DemoOptions,
  DroidOptions,
} from './backend-options.ts';
import type { OptionsOf } from './options-of.ts';

declare module '../../../runtime/src/index.ts' {
  interface BackendOptions {
    'their-agent': { depth?: number };
  }
}

const prices = { inputPerMillion: 1, cachedInputPerMillion: 0, outputPerMillion: 2 };

/** One value for each documented option. */
const VALUES = {
  'claude-cli': {
    addDirs: ['/tmp'],
    agents: {},
    effort: 'high',
    fallbackModel: 'm',
    plan: true,
    outputFormat: 'json',
    prices,
  } satisfies Required<ClaudeOptions>,
  'codex-cli': { prices } satisfies Required<CodexOptions>,
  droid: {
    autonomy_level: 'off',
    reasoning_effort: 'high',
    prices,
  } satisfies Required<DroidOptions>,
  amp: { mode: 'medium', thinking: true, prices } satisfies Required<AmpOptions>,
  'cursor-cli': { mode: 'plan', prices } satisfies Required<CursorOptions>,
  demo: { pace: 0, prices } satisfies Required<DemoOptions>,
};

describe.each(Object.entries(VALUES))('the typed options of %s', (name, values) => {
  test('are those that it accepts, with the accepted values', async () => {
    const { providerOptions = {} } = await builtInBaton().loadBackend(name);
    expect(Object.keys(values).sort()).toEqual(Object.keys(providerOptions).sort());
    const refused = Object.entries(values).filter(
      ([option, value]) => !providerOptions[option]?.fits(value),
    );
    expect(refused).toEqual([]);
  });
});

test('a backend that is loaded by its name knows its options', () => {
  const loading = (name: 'claude') => builtInBaton().loadBackend(name);
  type Claude = Awaited<ReturnType<typeof loading>>;
  type Options = Parameters<Claude['run']>[0]['providerOptions'];
  expectTypeOf<Options>().toEqualTypeOf<ClaudeOptions | undefined>();
  expectTypeOf<Claude>().toExtend<Backend>();
  expectTypeOf<OptionsOf<'their-agent'>>().toEqualTypeOf<{ depth?: number }>();
});

test('a backend with another name accepts any options', () => {
  const loading = (name: string) => builtInBaton().loadBackend(name);
  expectTypeOf<Awaited<ReturnType<typeof loading>>>().toEqualTypeOf<Backend>();
});
