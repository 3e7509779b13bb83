import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  findSession,
  modelsProblem,
  piAgentDir,
  piCredentials,
  piKeyVariables,
  sessionsFolder,
} from './pi-home.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pi-home-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the folder of Pi is the one that a variable names, or ~/.flux/pi-agent', () => {
  expect(piAgentDir({ HOME: '/h' })).toBe('/h/.flux/pi-agent');
  expect(piAgentDir({ HOME: '/h', BATON_PI_AGENT_DIR: '~/pi' })).toBe('/h/pi');
  const env = { HOME: '/h', BATON_PI_AGENT_DIR: '/general', FLUX_PI_AGENT_DIR: '/flux' };
  expect(piAgentDir(env)).toBe('/flux');
});

test('models.json is checked, and has the keys and the variables of its providers', () => {
  const env = { FLUX_PI_AGENT_DIR: folder };
  expect(modelsProblem(env)).toMatchObject({ code: 'config_invalid' });
  expect(piCredentials({ env }).credentials).toBe('unknown');
  const providers = { one: { apiKey: 'MY_KEY' }, two: { apiKey: '$OTHER_KEY' }, three: {} };
  writeFileSync(join(folder, 'models.json'), JSON.stringify({ providers }));
  expect(modelsProblem(env)).toBeUndefined();
  expect(piCredentials({ env })).toMatchObject({ credentials: 'found' });
  const names = piKeyVariables(env);
  expect(names).toEqual(expect.arrayContaining(['ANTHROPIC_API_KEY', 'MY_KEY', 'OTHER_KEY']));
});

test('a folder named models.json is not readable', () => {
  mkdirSync(join(folder, 'odd/models.json'), { recursive: true });
  expect(modelsProblem({ FLUX_PI_AGENT_DIR: join(folder, 'odd') })).toMatchObject({
    code: 'config_invalid',
  });
});

test('a key that is written out is no variable', () => {
  writeFileSync(
    join(folder, 'models.json'),
    JSON.stringify({ providers: { one: { apiKey: 'sk-secret' }, two: { apiKey: '!pass pi' } } }),
  );
  const names = piKeyVariables({ FLUX_PI_AGENT_DIR: folder });
  expect(names.filter((name) => /secret|pass/.test(name))).toEqual([]);
});

test('a session is found by its whole id, in the folder of its workspace', () => {
  const sessions = sessionsFolder(folder, '/work/my:repo');
  expect(sessions).toBe(join(folder, 'sessions/--work-my-repo--'));
  mkdirSync(sessions, { recursive: true });
  writeFileSync(join(sessions, '2026-01-01_abc.jsonl'), '');
  expect(findSession(sessions, 'abc')).toBe(join(sessions, '2026-01-01_abc.jsonl'));
  expect(findSession(sessions, 'bc')).toBeUndefined();
  expect(findSession(join(folder, 'nowhere'), 'abc')).toBeUndefined();
});
