import { BatonError } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { BACKEND_ALIASES } from './aliases.ts';
import { demoBackend, demoDialects } from './backends/demo/index.ts';
import { backendEntries, backendEntry, loadBackend, registerBackend } from './registry.ts';

function refusal(name: string): BatonError {
  try {
    backendEntry(name);
  } catch (error) {
    if (BatonError.is(error)) return error;
  }
  throw new Error(`${name} was found.`);
}

test('every built-in backend loads under its own name and all its aliases', async () => {
  for (const { id, label } of backendEntries()) {
    for (const name of [id, ...(BACKEND_ALIASES[id] ?? [])]) {
      const backend = await loadBackend(name);
      expect(backend.id).toBe(id);
      expect(backend.label).toBe(label);
    }
  }
});

test('every built-in backend can read recordings', async () => {
  for (const { load } of backendEntries()) {
    const { dialects } = await load();
    expect(dialects.length).toBeGreaterThan(0);
  }
});

describe('a name that nobody has', () => {
  test('is answered with what it may have been', () => {
    const error = refusal('claud');
    expect(error.code).toBe('backend_unknown');
    expect(error.message).toBe('There is no backend "claud".');
    expect(error.hint).toContain('Did you mean claude');
  });

  test('that is like no other is answered with all there are', () => {
    expect(refusal('xyzzy').hint).toContain('demo');
  });

  test('of an agent that this version cannot run yet is told apart', () => {
    const here = new Set(backendEntries().map(({ id }) => id));
    const later = Object.keys(BACKEND_ALIASES).filter((id) => !here.has(id));
    expect(later).toContain('gemini-cli');
    for (const id of later) {
      const { code, message, hint } = refusal(id);
      expect(code).toBe('backend_unknown');
      expect(message).toBe(`This version of Baton has no backend "${id}" yet.`);
      expect(hint).toContain('demo');
    }
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    '%s is an unknown name like any other',
    (name) => {
      expect(refusal(name).message).toBe(`There is no backend "${name}".`);
    },
  );
});

describe('a backend of somebody else', () => {
  test('is found by its name once it is registered, and cannot be replaced', async () => {
    const entry = {
      id: 'mine',
      label: 'Mine',
      settingsPaths: ['.mine'],
      load: async () => ({ create: demoBackend, dialects: demoDialects }),
    };
    registerBackend(entry);
    expect(backendEntry(' MINE ')).toBe(entry);
    expect((await loadBackend('mine')).id).toBe('demo');
    expect(() => registerBackend(entry)).toThrow(/registered already/);
  });

  test('that is known by an alias of a built-in one is refused', () => {
    const entry = {
      id: 'claude',
      label: 'X',
      settingsPaths: ['.x'],
      load: async () => ({ create: demoBackend, dialects: [] }),
    };
    expect(() => registerBackend(entry)).toThrow(/claude-cli/);
  });
});
