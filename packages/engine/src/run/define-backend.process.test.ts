import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError, errorInfo, type RunOptions } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { demoCapabilities } from '../../../agents/src/backends/demo/capabilities.ts';
import {
  finish,
  keepDemoWorlds,
  program,
  temporaryFolder,
} from '../../../agents/src/testing/demo-world.ts';
import type { BackendSettings } from '../definition/backend.ts';
import type { BackendSpec } from '../definition/backend-entry.ts';
import { DEFAULT_STOP, type Driver } from '../definition/driver.ts';
import { plainText } from '../normalize/plain-text.ts';
import { defineBackend } from './define-backend.ts';

keepDemoWorlds();

/** A way to talk to an agent that prints nothing but its answer. */
function printing(transport: string): Driver {
  return {
    transport,
    keepsProcess: false,
    stop: DEFAULT_STOP,
    launch: ({ prompt, tempFile }) => ({
      args: [transport, prompt.text, tempFile('note.txt', 'private')],
      stdin: 'none',
    }),
    dialect: (out) => plainText(out, 'Echo'),
  };
}

function echo(more: Partial<BackendSpec> = {}, settings?: BackendSettings) {
  return defineBackend({
    id: 'echo',
    label: 'Echo',
    install: 'npm install echo',
    capabilities: { ...demoCapabilities, transports: ['print', 'other'] },
    settingsPaths: ['.echo'],
    drivers: [printing('print'), printing('other')],
    binary: { command: '/bin/echo', version: '9' },
    credentials: () => ({ credentials: 'not_needed' }),
    ...more,
  })(settings);
}

describe('a run', () => {
  async function transportOf(more: Partial<BackendSpec>, options: RunOptions) {
    const run = echo(more).run({ cwd: temporaryFolder(), prompt: 'Hi', ...options });
    const { events } = await finish(run);
    const [started] = events;
    return started?.type === 'run.started' ? started.transport : undefined;
  }
  const kept = { ...printing('live'), keepsProcess: true };
  const poor = { ...printing('print'), lacks: { sessionId: 'no room' } };
  const drivers = [kept, poor, printing('other')];

  test('uses the first transport, or the requested one', async () => {
    expect(await transportOf({}, {})).toBe('print');
    expect(await transportOf({}, { transport: 'other' })).toBe('other');
  });

  test('in mode print uses the first one-shot transport that supports all options', async () => {
    expect(await transportOf({ drivers }, { mode: 'print' })).toBe('print');
    expect(await transportOf({ drivers }, { mode: 'print', sessionId: 's' })).toBe('other');
    expect(
      await transportOf({ drivers }, { mode: 'print', sessionId: 's', transport: 'other' }),
    ).toBe('other');
  });

  test('is rejected when the requested transport does not support an option', () => {
    const start = () =>
      echo({ drivers }).run({
        prompt: 'Hi',
        sessionId: 's',
        transport: 'print',
        cwd: temporaryFolder(),
      });
    expect(start).toThrow('The print transport of Echo does not support sessionId (no room).');
  });

  test('has the answer of the agent, and its private files are gone', async () => {
    const result = await echo().run({ cwd: temporaryFolder(), prompt: 'Hi' }).collect();
    const [transport, prompt, path] = result.output.split(' ');
    expect([transport, prompt]).toEqual(['print', 'Hi']);
    expect(path).toMatch(/note\.txt$/);
    expect(existsSync(path ?? '')).toBe(false);
    expect(result).toMatchObject({ outcome: 'done', exitCode: 0 });
  });

  test('throws for a mistake of the caller, before anything starts', () => {
    const cwd = temporaryFolder();
    expect(() => echo().run({ cwd, prompt: '' })).toThrow(BatonError);
    expect(() => echo().run({ cwd, prompt: 'Hi', model: 'm' })).toThrow(/does not support model/);
    const picky = echo({
      check: () => {
        throw new BatonError('root_refused', 'Not as root.');
      },
    });
    expect(() => picky.run({ cwd, prompt: 'Hi' })).toThrow('Not as root.');
  });

  test('that cannot find its program ends as a run that failed', async () => {
    const backend = echo({}, { binary: '/nowhere/echo' });
    const { events, result } = await finish(backend.run({ cwd: temporaryFolder(), prompt: 'Hi' }));
    expect(events[0]?.type).toBe('run.started');
    expect(result.error?.code).toBe('backend_not_found');
  });

  test('uses the program that the settings name', async () => {
    const cwd = temporaryFolder();
    const binary = program(cwd, 'echo mine');
    expect((await echo({}, { binary }).run({ cwd, prompt: 'Hi' }).collect()).output).toBe('mine');
  });

  test('reports what it launches', async () => {
    const cwd = temporaryFolder();
    const launched: object[] = [];
    await echo()
      .run({ cwd, prompt: 'Hi', onLaunch: (command) => launched.push(command) })
      .collect();
    expect(launched).toMatchObject([{ file: '/bin/echo', cwd, transport: 'print' }]);
  });
});

describe('open', () => {
  test('refuses what run refuses, as a rejection', async () => {
    await expect(echo().open({ cwd: '/nowhere/at/all' })).rejects.toMatchObject({
      code: 'cwd_missing',
    });
  });

  test('an agent that cannot keep its process is started for each prompt', async () => {
    const launched: string[] = [];
    const conversation = await echo().open({
      cwd: temporaryFolder(),
      onLaunch: ({ args }) => launched.push(args[1] ?? ''),
    });
    await conversation.run('One').collect();
    await conversation.run('Two').collect();
    expect(launched).toEqual(['One', 'Two']);
    expect((await conversation.close()).state).toBe('stopped');
  });
});

describe('probe', () => {
  test('of an agent that is installed and ready finds no problem', async () => {
    expect(await echo().probe()).toMatchObject({
      backend: 'echo',
      installed: true,
      path: '/bin/echo',
      version: '9',
      credentials: 'not_needed',
      problems: [],
      install: 'npm install echo',
    });
  });

  test('of a missing agent reports only that', async () => {
    const backend = echo({
      binary: { name: 'no-such-agent-anywhere' },
      credentials: () => ({ credentials: 'missing' }),
      problems: () => [errorInfo('root_refused', 'x')],
    });
    const probe = await backend.probe({ cwd: temporaryFolder() });
    expect(probe.installed).toBe(false);
    expect(probe.problems.map(({ code }) => code)).toEqual(['backend_not_found']);
  });

  test('of an agent without credentials, or with other problems, names them all', async () => {
    const backend = echo({
      credentials: () => ({ credentials: 'missing' }),
      problems: () => [errorInfo('root_refused', 'Not as root.')],
    });
    expect((await backend.probe()).problems.map(({ code }) => code)).toEqual([
      'auth_missing',
      'root_refused',
    ]);
  });

  test('searches the given folder, home and environment', async () => {
    const cwd = temporaryFolder();
    const seen: object[] = [];
    const backend = echo({
      credentials: (around) => {
        seen.push({ cwd: around.cwd, home: around.home, key: around.env.ECHO_KEY });
        return { credentials: 'found', credentialSource: 'ECHO_KEY' };
      },
    });
    await backend.probe({ cwd, env: { HOME: '/my/home', ECHO_KEY: 'k' } });
    expect(seen).toEqual([{ cwd, home: '/my/home', key: 'k' }]);
  });
});

describe('the interface of the agent itself', () => {
  test('is refused when there is none', async () => {
    await expect(echo().interactive?.({})).rejects.toMatchObject({ code: 'capability_missing' });
  });

  test('gets the prompt and private files, which are gone afterwards', async () => {
    const cwd = temporaryFolder();
    const backend = echo(
      {
        interactiveArgs: ({ prompt }, tempFile) => [prompt ?? '', tempFile('note.txt', 'private')],
      },
      {
        binary: program(
          cwd,
          'echo "$1" > prompt.txt; cat "$2" > note.txt; echo "$2" > path.txt; exit 5',
        ),
      },
    );
    expect(await backend.interactive?.({ cwd, prompt: 'Hi' })).toEqual({ exitCode: 5 });
    const written = (name: string) => readFileSync(join(cwd, name), 'utf8').trim();
    expect([written('prompt.txt'), written('note.txt')]).toEqual(['Hi', 'private']);
    expect(existsSync(written('path.txt'))).toBe(false);
  });

  test('puts the system prompt in front of the prompt of an agent without a place for it', async () => {
    const cwd = temporaryFolder();
    const shown: string[][] = [];
    const lacks = ['systemPrompt'] as const;
    const backend = echo(
      { interactiveArgs: ({ prompt }) => [prompt ?? 'none'], interactiveLacks: lacks },
      { binary: program(cwd, 'true') },
    );
    const onLaunch = ({ args }: { args: readonly string[] }) => void shown.push([...args]);
    const systemPrompt = 'Be brief.';
    await backend.interactive?.({ cwd, systemPrompt, prompt: 'Hi', onLaunch });
    await backend.interactive?.({ cwd, systemPrompt, onLaunch });
    await backend.interactive?.({ cwd, onLaunch });
    expect(shown).toEqual([['Be brief.\n\nHi'], ['Be brief.'], ['none']]);
  });

  test('refuses options that its interface lacks', async () => {
    const backend = echo({ interactiveArgs: () => [], interactiveLacks: ['resume'] });
    await expect(backend.interactive?.({ resume: 'id' })).rejects.toMatchObject({
      code: 'capability_missing',
      message: expect.stringContaining('does not support resume'),
    });
  });

  test('refuses options that the agent does not have', async () => {
    const backend = echo({ interactiveArgs: () => [] });
    await expect(backend.interactive?.({ model: 'm' })).rejects.toMatchObject({
      code: 'capability_missing',
    });
  });

  test.each([
    ['the agent named', 'small', ['none', 'big', 'small'], []],
    ['nobody named', undefined, ['none', 'big', 'none'], ['option_ignored']],
  ])(
    'a prompt after one with its own model has the one that %s',
    async (_who, own, models, codes) => {
      const launched: string[] = [];
      const naming: Driver = {
        ...printing('print'),
        launch: ({ options: { model = 'none' } }) => ({ args: [model], stdin: 'none' }),
        dialect: (out, { options: { model = own } }) => {
          out.emit({ type: 'run.identified', nativeSessionId: 's', model });
          return plainText(out, 'Echo');
        },
      };
      const options = {
        ...demoCapabilities.options,
        model: { support: 'mapped', how: '' } as const,
      };
      const capabilities = { ...demoCapabilities, options, transports: ['print'] };
      const conversation = await echo({ drivers: [naming], capabilities }).open({
        cwd: temporaryFolder(),
        onLaunch: ({ args }) => launched.push(args[0] ?? ''),
      });
      await conversation.run('One').collect();
      await conversation.run('Two', { model: 'big' }).collect();
      const { events } = await finish(conversation.run('Three'));
      expect(launched).toEqual(models);
      const notices = events.flatMap((event) => (event.type === 'notice' ? [event.code] : []));
      expect(notices.filter((code) => code === 'option_ignored')).toEqual(codes);
    },
  );
});
