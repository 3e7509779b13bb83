import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTING_NAMES } from '@baton/config/settings';
import { describe, expect, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';

type Row = { name: string; value?: unknown; origin: string; flag?: string; variables: string[] };

async function rows(world: CliWorld, ...args: string[]): Promise<Map<string, Row>> {
  const { code, stdout, stderr } = await world.call({ args: ['config', '--json', ...args] });
  expect([code, stderr]).toEqual([0, '']);
  const list: Row[] = JSON.parse(stdout);
  return new Map(list.map((row) => [row.name, row]));
}

function userFile(world: CliWorld, content: string): string {
  mkdirSync(join(world.home, '.baton'), { recursive: true });
  const path = join(world.home, '.baton/config.json');
  writeFileSync(path, content);
  return path;
}

test.concurrent('every setting is listed with its value and where it comes from', async () => {
  const world = new CliWorld();
  const path = userFile(world, '{ "timeout": "5m" }');
  writeFileSync(join(world.cwd, 'baton.json'), '{ "model": "opus" }');
  const listed = await rows(world);
  expect([...listed.keys()]).toEqual(expect.arrayContaining(['binaries', 'retries']));
  expect(listed.get('timeout')).toMatchObject({ value: '5m', origin: path });
  expect(listed.get('model')).toMatchObject({
    value: 'opus',
    origin: join(world.cwd, 'baton.json'),
    flag: '--model',
    variables: ['BATON_MODEL'],
  });
  expect(listed.get('backend')).toMatchObject({ value: 'demo', origin: 'BATON_BACKEND' });
  expect(listed.get('permissionMode')).toMatchObject({ value: 'ask', origin: 'default' });
  expect(listed.get('budgetUsd')).toMatchObject({ origin: 'not set' });
});

test.concurrent('a time is shown as it can be written into a file', async () => {
  const world = new CliWorld();
  const { stdout } = await world.call({ args: ['config'], env: { BATON_TIMEOUT: '90' } });
  expect(stdout).toContain('startTimeout: "2m" (default)\n');
  expect(stdout).toContain('timeout: "90s" (BATON_TIMEOUT)\n');
});

test.concurrent('settings of other programs are shown only with --all', async () => {
  const world = new CliWorld();
  const isHidden = (name: string) => /^(?:gateway|discord|allowDirectCli)/.test(name);
  const listed = await rows(world);
  expect([...listed.keys()]).toEqual(SETTING_NAMES.filter((name) => !isHidden(name)));
  expect([...(await rows(world, '--all')).keys()]).toEqual(SETTING_NAMES);
  expect([...(await rows(world, '--program', 'gateway')).keys()]).toContain('gatewayCliPath');
  const { stdout } = await world.call({ args: ['config'] });
  expect(stdout).not.toMatch(/FLUX_ALLOW_DIRECT_CLI|BACKEND_CLI_PATH/);
  const hidden = SETTING_NAMES.filter(isHidden).length;
  expect(stdout).toContain(
    `${hidden} settings for other programs hidden; use --all to show them.\n`,
  );
});

test.concurrent('each program has its own variables and defaults', async () => {
  const listed = await rows(new CliWorld(), '--program', 'gateway');
  expect(listed.get('maxTurns')).toMatchObject({
    value: 25,
    variables: ['BACKEND_MAX_TURNS', 'BATON_MAX_TURNS'],
  });
});

test.concurrent.each([[['--json']], [[]]])('a secret is masked: %j', async (args) => {
  const world = new CliWorld();
  const { stdout, stderr } = await world.call({
    args: ['config', '--all', ...args],
    env: { BATON_OPENCLAW_TOKEN: 'hunter2' },
  });
  expect(stdout).toContain('********');
  expect(stdout + stderr).not.toContain('hunter2');
});

test.concurrent('for people it is the same, without colours in a pipe', async () => {
  const { code, stdout } = await new CliWorld().call({ args: ['config'] });
  expect(code).toBe(0);
  expect(stdout).toContain('backend: "demo" (BATON_BACKEND)\n');
  expect(stdout).toContain('model: not set\n');
  expect(stdout).not.toContain('\u001b');
});

test.concurrent('a warning goes to standard error', async () => {
  const { code, stderr } = await new CliWorld().call({
    args: ['config', '--program', 'gateway'],
    env: { BACKEND_MAX_TURNS: 'many' },
  });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: maxTurns \(BACKEND_MAX_TURNS\): .*Using 25\.\n$/);
});

describe.concurrent('a mistake in a file is shown with its place', () => {
  test.each<[string, string, string]>([
    ['broken JSON', '{\n  "model": opus\n}', ":2:12: Unexpected token 'o'"],
    ['a file that breaks off', '{ "model": "m",', ':1:16: '],
    ['a value of the wrong type', '{ "retries": "x" }', ':1:3): "x" is not a whole number.'],
  ])('%s', async (_name, content, words) => {
    const world = new CliWorld();
    const path = userFile(world, content);
    const { code, stdout, stderr } = await world.call({ args: ['config'] });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${path}${words}`);
    expect(stderr).toMatch(/^error \(config_invalid\): .+\nhint: .+\n$/);
  });
});

test.concurrent('an unknown program is a mistake, and the known ones are named', async () => {
  const { code, stderr } = await new CliWorld().call({ args: ['config', '--program', 'nobody'] });
  expect(code).toBe(2);
  expect(stderr).toContain('baton, runner, gateway, chains');
});
