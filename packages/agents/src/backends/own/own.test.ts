import { readOwnAgent } from '@baton/config/settings/own-agents';
import { describe, expect, test } from 'vitest';
import { resolvedOptions } from '../../testing/resolved-options.ts';
import { launchOf } from './backend.ts';
import { ownEntry } from './index.ts';

const BASE = { command: 'my-agent --json', dialect: 'claude-stream-json' };
const agentOf = (value: object) => readOwnAgent('mine', value, 'config.json');
const launched = (value: object, more: { prompt?: string; model?: string; resume?: string } = {}) =>
  launchOf(agentOf(value), {
    options: resolvedOptions('/', { model: more.model }),
    prompt: { text: more.prompt ?? 'Hi', images: [] },
    resume: more.resume,
  });

describe('the command line of an own agent', () => {
  const full = { ...BASE, resume: '--resume {session}', model: '--model {model}' };

  test('has no arguments that nobody asked for', () => {
    expect(launched(full)).toEqual({ args: ['--json'], stdin: { text: 'Hi' } });
  });

  test('puts model, session and prompt at the end', () => {
    const { args } = launched({ ...full, prompt: 'argument' }, { model: 'm', resume: 's' });
    expect(args).toEqual(['--json', '--model', 'm', '--resume', 's', 'Hi']);
  });

  test('puts them where the command has placeholders', () => {
    const command = 'my-agent {resume} run {model} --say={prompt} --last';
    const value = { ...full, command, resume: 'resume {session}' };
    const { args, stdin } = launched(value, { model: 'm', resume: 's', prompt: '$& {prompt}' });
    expect(args).toEqual(['resume', 's', 'run', '--model', 'm', '--say=$& {prompt}', '--last']);
    expect(stdin).toBe('none');
  });

  test('does not take a prompt that begins with a dash for a flag', () => {
    const { args } = launched({ ...BASE, prompt: 'argument' }, { prompt: '--rm' });
    expect(args).toEqual(['--json', '\n--rm']);
  });

  test('is not made of a prompt that is too long for it', () => {
    const prompt = 'x'.repeat(200_000);
    expect(() => launched({ ...BASE, prompt: 'argument' }, { prompt })).toThrow(/too long/);
    expect(launched(BASE, { prompt }).stdin).toEqual({ text: prompt });
  });
});

describe('the capabilities of an own agent', () => {
  test('are none but those of Baton unless its user lists them', () => {
    const { features, permissions, permissionModes, options } = ownEntry(
      agentOf(BASE),
    ).capabilities;
    const has = Object.entries(features).flatMap(([name, value]) => (value ? [name] : []));
    expect(has.sort()).toEqual(['maxTurns', 'structuredOutput', 'systemPrompt']);
    expect([permissions, permissionModes]).toEqual(['none', ['allow-all']]);
    expect([options.resume.support, options.model.support]).toEqual(['unsupported', 'unsupported']);
  });

  test('follow from what the configuration has', () => {
    const value = { ...BASE, resume: '-r {session}', model: '-m {model}', capabilities: ['cost'] };
    const { features, options } = ownEntry(agentOf(value)).capabilities;
    expect(features).toMatchObject({
      resume: true,
      conversation: true,
      cost: true,
      thinking: false,
    });
    expect(options.budgetUsd.support).toBe('emulated');
    expect(options.resume).toEqual({ support: 'mapped', how: '-r {session}' });
  });

  test('of plain text have no turns to count', () => {
    const { features } = ownEntry(agentOf({ ...BASE, dialect: 'plain' })).capabilities;
    expect(features.maxTurns).toBe(false);
  });

  test('of the protocol are claims, and less if its user says so', () => {
    const acp = { command: 'my-agent acp', dialect: 'acp' };
    expect(ownEntry(agentOf(acp)).capabilities).toMatchObject({
      permissions: 'claimed',
      permissionModes: ['ask', 'auto', 'allow-all'],
      transports: ['live'],
    });
    const less = ownEntry(agentOf({ ...acp, capabilities: ['streaming', 'resume'] })).capabilities;
    expect(less).toMatchObject({ permissions: 'none', permissionModes: ['allow-all'] });
    expect(less.features).toMatchObject({ streaming: true, resume: true, mcp: false, fork: false });
    expect(less.options.mcpConfig.support).toBe('unsupported');
  });
});
