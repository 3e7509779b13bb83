import { BatonError, errorInfo, type McpTaskPacket } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizeExecutionBackend } from './runner-backend.ts';
import {
  handledBy,
  type RunnerFacts,
  registeredBackends,
  selectBackend,
  unsupportedBackendMessage,
} from './runner-selection.ts';

describe('the backend of a task: the first that is named wins', () => {
  test.each<[string, McpTaskPacket, string | undefined, string]>([
    [
      'the execution plan',
      { execution: { backend: 'pi' }, prompt: { backend: 'codex' } },
      'amp',
      'pi',
    ],
    [
      'the prompt',
      { execution: { backend: null }, prompt: { backend: 'codex' } },
      'amp',
      'codex-cli',
    ],
    ['the operator', { execution: {}, prompt: { backend: null } }, 'amp', 'amp'],
    ['the default', {}, undefined, 'claude-cli'],
  ])('%s', (_name, packet, setting, expected) => {
    expect(selectBackend(packet, setting)).toBe(expected);
  });

  test('aliases are understood wherever they come from', () => {
    expect(selectBackend({ execution: { backend: 'Claude_Code' } })).toBe('claude-cli');
    expect(selectBackend({ prompt: { backend: 'openai-codex' } })).toBe('codex-cli');
  });

  test('an unknown name is kept, so that the error can name it', () => {
    const name = selectBackend({ execution: { backend: 'Skynet' } });
    expect(unsupportedBackendMessage(name)).toBe(
      'Runner does not support execution backend: skynet',
    );
  });
});

const facts: RunnerFacts = {
  openclawAnswers: false,
  piModelsReadable: false,
  allowDirectCli: false,
};
const openclaw = { openclawUrl: 'ws://localhost:1', openclawAnswers: true };

describe('the backends that a runner registers', () => {
  test.each<[string, Partial<RunnerFacts>, string[]]>([
    ['nothing around', {}, ['claude-cli']],
    ['a gateway', openclaw, ['openclaw']],
    ['a gateway that does not answer', { ...openclaw, openclawAnswers: false }, ['claude-cli']],
    ['an answer without an address', { openclawAnswers: true }, ['claude-cli']],
    [
      'a gateway, and the CLI allowed',
      { ...openclaw, allowDirectCli: true },
      ['claude-cli', 'openclaw'],
    ],
    ['models for Pi', { piModelsReadable: true }, ['claude-cli', 'pi']],
    ['a gateway and models for Pi', { ...openclaw, piModelsReadable: true }, ['openclaw', 'pi']],
    [
      'everything',
      { ...openclaw, piModelsReadable: true, allowDirectCli: true },
      ['claude-cli', 'openclaw', 'pi'],
    ],
    ['no Claude Code', { installed: ['codex-cli', 'droid'] }, ['codex-cli', 'droid']],
    [
      'a gateway, which replaces the programs behind it but no others',
      { ...openclaw, installed: ['claude-cli', 'codex-cli', 'codex-sdk'] },
      ['openclaw', 'codex-sdk'],
    ],
    [
      'the CLIs allowed beside a gateway',
      { ...openclaw, allowDirectCli: true, installed: ['claude-cli', 'codex-cli'] },
      ['claude-cli', 'codex-cli', 'openclaw'],
    ],
  ])('%s', (_name, found, expected) => {
    expect(registeredBackends({ ...facts, ...found })).toEqual(expected);
  });

  test('asking for Pi without its models is fatal, and says which file is missing', () => {
    const refused = () => registeredBackends({ ...facts, operatorSetting: 'PI' });
    expect(refused).toThrow(/models\.json/);
    expect(refused).toThrow(BatonError);
    expect(
      registeredBackends({ ...facts, operatorSetting: 'pi', piModelsReadable: true }),
    ).toContain('pi');
  });

  test.each<[string, Partial<RunnerFacts>, string[]]>([
    ['claude', { piModelsReadable: true }, ['claude-cli']],
    ['claude', openclaw, ['openclaw']],
    ['codex', { ...openclaw, installed: ['codex-cli'] }, ['openclaw']],
    ['claude', { ...openclaw, allowDirectCli: true }, ['claude-cli', 'openclaw']],
    ['pi', { ...openclaw, piModelsReadable: true }, ['pi']],
    ['codex-sdk', { installed: ['claude-cli', 'codex-sdk'] }, ['codex-sdk']],
  ])('are those that take tasks for %s when the operator chose it', (name, found, expected) => {
    expect(registeredBackends({ ...facts, ...found, operatorSetting: name })).toEqual(expected);
  });

  test.each(['pi', 'openclaw', 'codex', 'skynet'])('are fatally none without %s', (name) => {
    const problem = errorInfo('config_invalid', 'It is broken.', { hint: 'Fix it.' });
    const problems = { [normalizeExecutionBackend(name)]: problem };
    const refused = () => registeredBackends({ ...facts, operatorSetting: name, problems });
    expect(refused).toThrow(
      `The backend ${normalizeExecutionBackend(name)} was requested, but it cannot be registered. It is broken.`,
    );
  });

  test('are fatally none when nothing is installed', () => {
    expect(() => registeredBackends({ ...facts, installed: [] })).toThrow(
      'No execution backend can be registered.',
    );
  });

  test('are never none, each once', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (url, answers, pi, cli) => {
          const registered = registeredBackends({
            openclawUrl: url ? 'ws://x' : undefined,
            openclawAnswers: answers,
            piModelsReadable: pi,
            allowDirectCli: cli,
          });
          expect(registered.length).toBeGreaterThan(0);
          expect([...new Set(registered)]).toEqual(registered);
        },
      ),
    );
  });
});

test('a gateway accepts the tasks of the CLIs behind it, the others only their own', () => {
  expect(handledBy('openclaw')).toEqual(['openclaw', 'claude-cli', 'codex-cli']);
  expect(handledBy('pi')).toEqual(['pi']);
  expect(handledBy('claude-cli')).toEqual(['claude-cli']);
});
