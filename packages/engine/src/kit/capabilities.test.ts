import { capabilitiesSchema, FEATURES, OPTION_NAMES } from '@baton/protocol';
import { expect, test } from 'vitest';
import { capabilities, mapped, unsupported } from './capabilities.ts';

const AGENT = capabilities({
  agent: 'Bob',
  features: ['streaming', 'resume'],
  options: { model: mapped('--model'), images: unsupported('Bob cannot see.') },
  permissionModes: ['ask'],
  transports: ['live'],
  stop: 'verified',
});

test('makes a complete table that fits the schema', () => {
  expect(capabilitiesSchema.parse(AGENT)).toEqual(AGENT);
  expect(Object.keys(AGENT.features)).toEqual([...FEATURES]);
  expect(Object.keys(AGENT.options)).toEqual([...OPTION_NAMES]);
});

test('has only the listed features', () => {
  expect(FEATURES.filter((name) => AGENT.features[name])).toEqual(['streaming', 'resume']);
});

test('does not support what is not listed, and says so', () => {
  expect(AGENT.options.sessionId).toEqual(unsupported('Bob does not support it.'));
  expect(AGENT.options.images).toEqual(unsupported('Bob cannot see.'));
});

test('supports what Baton does for every process', () => {
  const { cwd, env, timeouts, model } = AGENT.options;
  expect([cwd, env, timeouts].map(({ support }) => support)).not.toContain('unsupported');
  expect(model).toEqual(mapped('--model'));
});
