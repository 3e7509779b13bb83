import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineBackend } from '@baton/engine/run/define-backend';
import { describe, expect, test } from 'vitest';
import {
  type ConformanceSubject,
  conformanceCases,
} from '../../../../agent-tools/src/conformance/index.ts';
import { givenAcpEntry, KNOWN_ACP_NAMES, knownAcpEntry } from './index.ts';

const AGENT = join(import.meta.dirname, 'testing/sdk-agent.ts');
const entry = givenAcpEntry('stub', `${process.execPath} "${AGENT}"`);
const spec = { ...entry, ...(await entry.load()) };
const backend = defineBackend(spec)({ acceptsClaim: true });

const subject: ConformanceSubject = {
  backend,
  failures: ['rate_limited', 'overloaded', 'quota'],
  folderHooks: [],
  withBinary: (binary) => defineBackend(spec)({ acceptsClaim: true, binary }),
  prompt: (steps) => `[[${JSON.stringify(steps)}]]`,
  async world() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'acp-')));
    const cwd = join(folder, 'workspace');
    mkdirSync(cwd);
    return {
      cwd,
      options: { env: { HOME: folder } },
      dispose: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
    };
  },
};

describe('an agent of the official SDK passes the conformance suite', () => {
  const cases = conformanceCases(subject).filter(({ skip }) => skip === undefined);
  for (const { name, run } of cases) test(name, run);
});

describe('an agent that only claims to ask', () => {
  const careful = defineBackend(spec)();

  test.each(['ask', 'auto'] as const)('is refused in mode %s', (permissionMode) => {
    expect(() => careful.run({ prompt: 'Hi', permissionMode })).toThrow(
      /claims to ask before it acts/,
    );
  });

  test('runs in mode allow-all', async () => {
    const { cwd, options, dispose } = await subject.world();
    const run = careful.run({ ...options, cwd, prompt: 'Hi', permissionMode: 'allow-all' });
    expect((await run.collect()).output).toBe('Hi');
    await dispose();
  });

  test('emits a warning in each run that relies on it', async () => {
    const { cwd, options, dispose } = await subject.world();
    const codes: string[] = [];
    for await (const event of backend.run({ ...options, cwd, prompt: 'Hi' })) {
      if (event.type === 'notice' && event.message.includes('has not verified'))
        codes.push(event.level);
    }
    expect(codes).toEqual(['warning']);
    await dispose();
  });
});

describe('the known agents', () => {
  test('have names that no two share, and say how they are installed', () => {
    expect(new Set(KNOWN_ACP_NAMES).size).toBe(KNOWN_ACP_NAMES.length);
    for (const name of KNOWN_ACP_NAMES) {
      expect(knownAcpEntry(name)).toMatchObject({
        id: name,
        install: expect.stringMatching(/\S/),
      });
    }
  });

  test.each(['acp:codex', 'acp:kilo', 'acp:qwen', 'acp:gemini', 'acp:opencode', 'acp:cursor'])(
    'that were seen to act unasked are refused in ask and auto, whatever the user accepts: %s',
    async (name) => {
      const known = knownAcpEntry(name);
      if (!known) throw new Error(`${name} is unknown.`);
      const accepted = defineBackend({ ...known, ...(await known.load()) })({ acceptsClaim: true });
      expect(known.capabilities.permissions).toBe('none');
      for (const permissionMode of ['ask', 'auto'] as const) {
        expect(() => accepted.run({ prompt: 'Hi', permissionMode })).toThrow(
          `does not support permission mode "${permissionMode}"`,
        );
      }
    },
  );

  test.each(['acp:droid', 'acp:copilot', 'acp:goose'])(
    'that were not seen to act unasked are believed if the user does: %s',
    (name) => {
      expect(knownAcpEntry(name)?.capabilities).toMatchObject({
        permissions: 'claimed',
        permissionModes: ['ask', 'auto', 'allow-all'],
      });
    },
  );

  test('do not include unknown ones', () => {
    expect(knownAcpEntry('acp:nobody')).toBeUndefined();
  });
});

test('a command is split into words, and quotes group them', () => {
  const { binary, label } = givenAcpEntry('command', '"/opt/my agent" --mode \'a b\'');
  expect(binary).toMatchObject({ explicit: '/opt/my agent' });
  expect(label).toBe('/opt/my agent');
  expect(() => givenAcpEntry('mine', '  ')).toThrow('is empty');
});
