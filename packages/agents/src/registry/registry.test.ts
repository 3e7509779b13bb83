import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { BatonError } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demoAdapter } from '../backends/demo/backend.ts';
import { demoEntry } from '../backends/demo/index.ts';
import { Registry } from './registry.ts';

const registry = new Registry();
const names = registry
  .entries()
  .flatMap(({ id, aliases = [] }) => [id, ...aliases].map((name) => [name, id] as const));

function refusal(act: () => unknown): BatonError {
  try {
    act();
  } catch (error) {
    if (BatonError.is(error)) return error;
  }
  throw new Error('It was accepted.');
}

const unknown = (name: string) => refusal(() => registry.entry(name));

test('every built-in backend loads under its own name and all its aliases', async () => {
  for (const [name, id] of names) {
    const backend = await registry.load(registry.entry(name));
    expect(backend.id).toBe(id);
    expect(backend.label).toBe(registry.entry(id).label);
  }
});

test('every built-in backend can read recordings', async () => {
  for (const { load } of registry.entries()) {
    const { dialects = [] } = await load();
    expect(dialects.length).toBeGreaterThan(0);
  }
});

describe('the canonical name', () => {
  test.each(names)('of %s is %s', (name, id) => {
    expect(registry.canonicalName(name)).toBe(id);
    expect(registry.canonicalName(`  ${name.toUpperCase()}\n`)).toBe(id);
  });

  test('is its own canonical name, whatever it is', () => {
    const known = fc.constantFrom(...names.map(([name]) => name));
    fc.assert(
      fc.property(fc.oneof(fc.string(), known), (name) => {
        const canonical = registry.canonicalName(name);
        expect(registry.canonicalName(canonical)).toBe(canonical);
      }),
    );
  });

  test('of a stranger is only tidied up', () => {
    expect(registry.canonicalName(' My-Backend ')).toBe('my-backend');
  });
});

describe('an unknown name', () => {
  test('of an agent of the protocol has a hint about such agents', () => {
    const { hint } = unknown('acp:xyzzy-plugh');
    expect(hint).toContain('acp:');
    expect(hint).toContain('acpAgents');
  });

  test('suggests similar names', () => {
    const error = unknown('claud');
    expect(error.code).toBe('backend_unknown');
    expect(error.message).toBe('Unknown backend "claud".');
    expect(error.hint).toContain('Did you mean claude');
  });

  test('that is like no other is answered with all there are', () => {
    expect(unknown('xyzzy').hint).toContain('demo');
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    '%s is an unknown name like any other',
    (name) => {
      expect(unknown(name).message).toBe(`Unknown backend "${name}".`);
    },
  );
});

describe('a third-party backend', () => {
  const mine: BackendEntry = {
    ...demoEntry,
    id: 'mine',
    label: 'Mine',
    aliases: ['my-agent'],
    load: async () => demoAdapter,
  };

  test('is found by its names once it is registered, and cannot be replaced', async () => {
    const registry = new Registry();
    registry.register(mine);
    expect(registry.entry(' MINE ')).toBe(mine);
    expect(registry.entry('my-agent')).toBe(mine);
    expect((await registry.load(mine)).label).toBe('Mine');
    expect(() => registry.register(mine)).toThrow(/already registered/);
  });

  test.each<[string, Partial<BackendEntry>, RegExp]>([
    ['whose id is an alias of another', { id: 'claude' }, /it belongs to "claude-cli"/],
    ['with an alias of another', { id: 'x1', aliases: ['codex'] }, /it belongs to "codex-cli"/],
    ['with a name that cannot be typed', { id: 'My Agent' }, /Invalid backend name "My Agent"/],
    ['for another interface', { id: 'x2', specVersion: 2 as 1 }, /version 2 of the backend/],
  ])('%s is refused', (_what, more, message) => {
    const { code, message: said } = refusal(() => new Registry().register({ ...mine, ...more }));
    expect(code).toBe('usage');
    expect(said).toMatch(message);
  });
});
