import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';

const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

describe.concurrent('a recording', () => {
  test('has the input, output, exit and timestamps, without secrets', async () => {
    const world = new CliWorld();
    const secret = 'sk-very-secret-value';
    const prompt = `demo:script [{"shell":"pwd; echo $ACME_API_KEY"},{"say":"Recorded."}]`;
    const env = { ACME_API_KEY: secret };
    const args = ['record', '-b', 'demo', '-p', 'allow-all', '-o', 'made/one', prompt];
    const { code, stdout, stderr } = await world.call({ args, env });
    expect([code, stdout.trim()]).toEqual([0, 'Recorded.']);
    const folder = join(world.cwd, 'made/one');
    expect(stderr).toContain(`Recorded to ${folder}.`);
    const meta = JSON.parse(read(folder, 'meta.json'));
    expect(meta.argv[0]).toContain('node');
    expect(meta.stdin.split('\n').map((line: string) => line && JSON.parse(line).type)).toEqual([
      'open',
      'prompt',
      '',
    ]);
    expect(meta.exit).toEqual({ code: 0, signal: null });
    expect(meta.timing.firstOutputMs).toBeLessThanOrEqual(meta.timing.exitMs);
    const printed = read(folder, 'stdout');
    expect(printed).toContain('REDACTED');
    expect(printed).toContain('/workspace');
    expect(`${printed}${read(folder, 'meta.json')}`).not.toContain(secret);
    expect(`${printed}${read(folder, 'meta.json')}`).not.toContain(world.home);
    expect(existsSync(join(folder, 'stderr')), 'nothing was printed there').toBe(false);
    const again = await world.call({
      args: ['normalize', '-b', 'demo', '--exit', '0', '--json', join(folder, 'stdout')],
    });
    expect(again.stdout).toContain('"output":"Recorded."');
  });

  test('records the end of a failed run, and its exit code', async () => {
    const world = new CliWorld();
    const prompt = 'demo:script [{"crash":70}]';
    const { code } = await world.call({ args: ['record', '-b', 'demo', '-o', 'crash', prompt] });
    expect(code).toBe(1);
    expect(JSON.parse(read(join(world.cwd, 'crash'), 'meta.json')).exit.code).toBe(70);
  });

  test('is not put over another one', async () => {
    const world = new CliWorld();
    mkdirSync(join(world.cwd, 'full'));
    writeFileSync(join(world.cwd, 'full/note'), 'x');
    const full = await world.call({ args: ['record', '-b', 'demo', '-o', 'full', 'Hi'] });
    expect([full.code, full.stderr]).toEqual([2, expect.stringContaining('is not empty')]);
    const nowhere = await world.call({ args: ['record', '-b', 'demo', 'Hi'] });
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('--out')]);
  });
});
