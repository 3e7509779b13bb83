import { BatonError } from '@baton/protocol';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { configSchema } from './config-schema.ts';
import { ownAgentValues, readOwnAgent } from './own-agents.ts';

const FILE = '/home/me/.baton/config.json';
const isValid = new Ajv2020({ strict: true }).compile(configSchema('user'));

function refusal(value: unknown, name = 'mine'): BatonError {
  try {
    readOwnAgent(name, value, FILE);
  } catch (error) {
    if (BatonError.is(error)) return error;
  }
  throw new Error('It was accepted.');
}

const BASE = { command: 'my-agent --json', dialect: 'claude-stream-json' };

describe('an agent of the configuration', () => {
  test.each([
    ['as short as it can be', BASE],
    ['with words', { ...BASE, command: ['my agent', '--json'] }],
    ['with a placeholder', { ...BASE, command: 'my-agent --say {prompt}' }],
    ['with an argument', { ...BASE, prompt: 'argument' }],
    [
      'with everything',
      {
        ...BASE,
        label: 'Mine',
        resume: '--resume {session}',
        model: ['--model={model}'],
        capabilities: ['streaming', 'usage'],
        settingsPaths: ['.mine'],
        keyVariables: ['MY_KEY'],
        install: 'npm install -g my-agent',
      },
    ],
    ['that speaks the protocol', { command: '~/bin/my-agent acp', dialect: 'acp' }],
  ])('is accepted %s, by the schema of editors too', (_how, value) => {
    expect(readOwnAgent('mine', value, FILE)).toMatchObject({ name: 'mine' });
    expect(isValid({ agents: { mine: value } })).toBe(true);
  });

  test('gets its prompt on standard input unless told otherwise', () => {
    const agent = readOwnAgent('mine', BASE, FILE);
    expect(agent).toMatchObject({
      prompt: 'stdin',
      command: ['my-agent', '--json'],
      label: 'mine',
    });
    const marked = { ...BASE, command: 'my-agent {prompt}' };
    expect(readOwnAgent('mine', marked, FILE).prompt).toBe('placeholder');
  });
});

describe('a mistake names the file, the key and what to write instead', () => {
  test.each([
    ['text', 'agents.mine', 'command'],
    [{ dialect: 'plain' }, 'agents.mine.command', 'my-agent --json'],
    [{ ...BASE, command: [] }, 'agents.mine.command', 'my-agent --json'],
    [{ ...BASE, command: './agent' }, 'agents.mine.command', '~/'],
    [{ command: 'x' }, 'agents.mine.dialect', 'claude-stream-json'],
    [{ ...BASE, dialect: 'json' }, 'agents.mine.dialect', '"codex-jsonl"'],
    [{ ...BASE, promt: 'stdin' }, 'agents.mine.promt', 'prompt'],
    [{ ...BASE, prompt: 'tape' }, 'agents.mine.prompt', '"argument"'],
    [{ ...BASE, prompt: 'file' }, 'agents.mine.prompt', 'omit prompt and put {prompt}'],
    [{ ...BASE, command: 'a {prompt}', prompt: 'stdin' }, 'agents.mine.prompt', 'Omit prompt'],
    [{ ...BASE, resume: '--continue' }, 'agents.mine.resume', '{session}'],
    [{ ...BASE, model: '--fast' }, 'agents.mine.model', '{model}'],
    [{ ...BASE, dialect: 'plain', resume: '-r {session}' }, 'agents.mine.resume', 'Omit resume'],
    [{ ...BASE, dialect: 'acp', prompt: 'stdin' }, 'agents.mine.prompt', 'Omit prompt'],
    [{ ...BASE, capabilities: ['permissions'] }, 'agents.mine.capabilities', 'streaming'],
    [{ ...BASE, capabilities: ['flying'] }, 'agents.mine.capabilities', 'streaming'],
    [{ ...BASE, keyVariables: 'KEY' }, 'agents.mine.keyVariables', '["…"]'],
  ])('%j', (value, key, instead) => {
    const { code, message, hint } = refusal(value);
    expect(code).toBe('config_invalid');
    expect(message).toContain(`${key} (${FILE})`);
    expect(hint).toContain(instead);
  });

  test('in the name of the agent', () => {
    expect(refusal(BASE, 'My Agent').message).toContain('agents.My Agent');
  });

  test('in the setting as a whole', () => {
    expect(() => ownAgentValues(['mine'], FILE)).toThrow(/agents \(.*config\.json\): must be/);
    expect(ownAgentValues(undefined, FILE)).toEqual([]);
  });
});

test('a project may not bring agents', () => {
  const { properties } = configSchema('project') as { properties: object };
  expect(properties).not.toHaveProperty('agents');
  expect(properties).not.toHaveProperty('commands');
});
