// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a chains file
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { CliWorld } from '../../testing/baton.ts';

const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;

/** A world with a chain of a step, an approval and a step that asks. */
function world(agent: object = {}): CliWorld {
  const cli = new CliWorld();
  const write = { write: { path: 'a.txt', content: 'x' } };
  const file = {
    agents: { demo: { backend: 'demo', providerOptions: { pace: 0 }, ...agent } },
    chains: {
      ship: {
        description: 'Ships',
        inputs: { what: 'it' },
        steps: [
          { id: 'plan', agent: 'demo', prompt: script({ say: 'Plan for {{inputs.what}}' }) },
          { id: 'ok', approve: 'Really {{steps.plan.output}}?' },
          { id: 'edit', agent: 'demo', prompt: script(write, { say: 'Edited.' }) },
        ],
      },
      other: { steps: [{ agent: 'demo', prompt: 'demo:fail' }] },
    },
  };
  writeFileSync(join(cli.cwd, 'chains.json'), JSON.stringify(file));
  return cli;
}

const call = (cli: CliWorld, ...args: string[]) =>
  cli.call({ args: ['chain', ...args, '--cwd', cli.cwd] });

describe.concurrent('baton chain', () => {
  test('on a terminal: asks for trust, for approval and for permission, and shows a tree', async () => {
    const cli = world();
    const args = ['chain', 'run', 'ship', '--cwd', cli.cwd, '--input', 'what=boats'];
    const terminal = cli.terminal({ args });
    await terminal.until('Do you trust');
    await terminal.until('provider options');
    await terminal.until('yes, until the file changes');
    terminal.type('y');
    await terminal.until('Really Plan for boats?');
    await terminal.until('reject, with a reason');
    terminal.type('y');
    await terminal.until('Allow');
    await terminal.until('details');
    terminal.type('y');
    const { code, output } = await terminal.end();
    expect(code).toBe(0);
    const last = output.slice(output.lastIndexOf('ship'));
    expect(last).toMatch(/done[\s\S]*✓.* plan[\s\S]*✓.* ok[\s\S]*✓.* edit[\s\S]*Edited\./);
    expect(readFileSync(join(cli.cwd, 'a.txt'), 'utf8')).toBe('x');
  });

  test.each([
    ['edits its folder', { permissionMode: 'auto' }, 'plan: permission mode auto'],
    ['works elsewhere', { cwd: '/' }, 'plan: folder /'],
    [
      'takes a variable',
      { prompt: 'demo:fail ${GITHUB_TOKEN:-none}' },
      'all steps: variables of yours GITHUB_TOKEN',
    ],
  ])('a file that %s does not run unasked', async (_what, agent, reason) => {
    const cli = new CliWorld();
    const steps = [{ id: 'plan', agent: 'demo' }];
    const prompt = script({ write: { path: 'a.txt', content: 'x' } });
    const agents = { demo: { backend: 'demo', prompt, ...agent } };
    const path = join(cli.cwd, 'chains.json');
    writeFileSync(path, JSON.stringify({ agents, chains: { test: { steps } } }));
    const refused = await call(cli, 'run', 'test');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(reason)]);
    expect(refused.stderr).toContain('--trust');
    expect(JSON.parse((await call(cli, 'runs', '--json')).stdout)).toEqual([]);
    expect(existsSync(join(cli.cwd, 'a.txt'))).toBe(false);
    expect((await call(cli, 'run', 'test', '--dry-run')).stdout).toContain(reason);
  });

  test('a dry run does not start the program of a file', async () => {
    const cli = new CliWorld();
    const mark = join(cli.cwd, 'started');
    writeFileSync(join(cli.cwd, 'agent'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    const agents = { own: { command: './agent' } };
    const chains = { test: { steps: [{ agent: 'own', prompt: 'Hi' }] } };
    writeFileSync(join(cli.cwd, 'chains.json'), JSON.stringify({ agents, chains }));
    await call(cli, 'run', 'test', '--dry-run');
    expect(existsSync(mark)).toBe(false);
  });

  test('an untrusted file does not run after a no', async () => {
    const cli = world();
    const terminal = cli.terminal({ args: ['chain', 'run', 'ship', '--cwd', cli.cwd] });
    await terminal.until('yes, until the file changes');
    terminal.type('n');
    const { code, output } = await terminal.end();
    expect([code, output]).toEqual([1, expect.stringContaining('Nothing was started.')]);
    expect(JSON.parse((await call(cli, 'runs', '--json')).stdout)).toEqual([]);
  });

  test('a rejected approval fails the chain with the reason', async () => {
    const cli = world();
    const terminal = cli.terminal({ args: ['chain', 'run', 'ship', '--trust', '--cwd', cli.cwd] });
    await terminal.until('reject, with a reason');
    terminal.type('r');
    await terminal.until('Reason:');
    terminal.type('Not today.\r');
    const { code, output } = await terminal.end();
    expect([code, existsSync(join(cli.cwd, 'a.txt'))]).toEqual([1, false]);
    expect(output).toContain('The step was rejected. Not today.');
  });

  test('an error at the start ends the command on a terminal too', async () => {
    const cli = world({ backend: 'demoo' });
    const args = ['chain', 'run', 'ship', '--trust', '--cwd', cli.cwd];
    const { code, output } = await cli.terminal({ args }).end();
    expect([code, output]).toEqual([2, expect.stringContaining('Unknown backend "demoo"')]);
  });

  test('a run that waits for an approval is asked again when it is resumed', async () => {
    const cli = world({ permissionMode: 'allow-all' });
    expect((await call(cli, 'run', 'ship', '--trust')).code).toBe(5);
    const again = await call(cli, 'resume', 'last');
    expect([again.code, again.stderr]).toEqual([5, expect.stringContaining('Needs approval')]);
    const [listed] = JSON.parse((await call(cli, 'runs', '--json')).stdout);
    expect(listed.status).toBe('awaiting_approval');
    const terminal = cli.terminal({ args: ['chain', 'resume', 'last', '--cwd', cli.cwd] });
    await terminal.until('reject, with a reason');
    terminal.type('y');
    expect((await terminal.end()).code).toBe(0);
  });

  test('what is denied because nobody is there is reported', async () => {
    const cli = world();
    const path = join(cli.cwd, 'chains.json');
    const file = JSON.parse(readFileSync(path, 'utf8'));
    file.chains.ship.steps.splice(1, 1);
    writeFileSync(path, JSON.stringify(file));
    const { code, stderr } = await call(cli, 'run', 'ship', '--trust');
    expect(code).toBe(0);
    expect(stderr).toContain('edit: 1 request was denied because no one was there to ask.');
    expect(existsSync(join(cli.cwd, 'a.txt'))).toBe(false);
  });

  test('a narrow and low terminal shows a part of a long chain, each step in one line', async () => {
    const cli = new CliWorld();
    const steps = Array.from({ length: 12 }, (_, index) => {
      return {
        id: `step-${index}-with-a-very-long-name`,
        agent: 'a',
        prompt: script({ say: 'x' }),
      };
    });
    const file = { agents: { a: { backend: 'demo' } }, chains: { long: { steps } } };
    writeFileSync(join(cli.cwd, 'chains.json'), JSON.stringify(file));
    const size = 'stty cols 30 rows 10';
    const terminal = cli.terminal({ args: ['chain', 'run', '--cwd', cli.cwd] }, size);
    const { code, output } = await terminal.end();
    expect(code).toBe(0);
    const drawn = output.split('\u001b[J').slice(1, -1);
    expect(drawn.length).toBeGreaterThan(5);
    for (const picture of drawn) expect(picture.split('\n').length).toBeLessThanOrEqual(11);
    const lines = stripVTControlCharacters(output).split(/\r?\n/);
    expect(lines.filter((line) => line.length > 30)).toEqual([]);
  });

  test('lists chains, shows one, draws it, and checks it without starting anything', async () => {
    const cli = world();
    const list = await call(cli, 'list');
    expect(list.stdout).toMatch(/ship\s+3\s+what\s+Ships/);
    expect(JSON.parse((await call(cli, 'list', '--json')).stdout)).toHaveLength(2);
    expect((await call(cli, 'show', 'ship')).stdout).toContain('edit: backend demo');
    expect((await call(cli, 'graph', 'ship')).stdout).toMatch(/^flowchart/m);
    expect((await call(cli, 'graph', 'ship', '--format', 'svg')).stdout).toMatch(/^<svg/);
    const plan = await call(cli, 'run', 'ship', '--dry-run');
    expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('Nothing was started.')]);
    const json = JSON.parse((await call(cli, 'run', 'ship', '--dry-run', '--json')).stdout);
    expect(json).toMatchObject({ inputs: { what: 'it' }, backends: { plan: 'demo' } });
    expect((await call(cli, 'runs')).stdout).toContain('No chain runs');
  });

  test('a step can be a compiled agent, with a prompt or with its own', async () => {
    const cli = new CliWorld();
    const agent = `import { defineAgent } from '@baton/runtime/agent';
      export default defineAgent({
        name: 'mine', backend: 'demo', prompt: 'demo:script [{"say": "My own prompt."}]',
      });`;
    writeFileSync(join(cli.cwd, 'agent.ts'), agent);
    const compiled = await cli.call({
      args: ['compile', join(cli.cwd, 'agent.ts'), '-o', join(cli.cwd, 'mine')],
    });
    expect([compiled.code, compiled.stderr]).toEqual([0, '']);
    const steps = [
      { id: 'own', agent: 'mine' },
      { id: 'given', agent: 'mine', prompt: script({ say: 'After: {{previous.output}}' }) },
    ];
    const file = { agents: { mine: { command: './mine' } }, chains: { all: { steps } } };
    writeFileSync(join(cli.cwd, 'chains.json'), JSON.stringify(file));
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
    const args = ['chain', 'run', 'all', '--trust', '--cwd', cli.cwd];
    const { code, stdout, stderr } = await cli.call({ args, env });
    expect([code, stdout]).toEqual([0, 'After: My own prompt.']);
    expect(stderr).toContain('own: started (mine)');
  });

  test('--verbose logs the backend, key options and command of each step', async () => {
    const cli = world({ permissionMode: 'allow-all' });
    const { code, stderr } = await call(cli, 'run', 'other', '--trust', '--verbose');
    expect(code).toBe(1);
    expect(stderr).toContain('demo: backend demo, permission mode allow-all');
    expect(stderr).toMatch(/demo: command \(.*demo-agent/);
  });

  test.each([
    [['fly'], 'Unknown action "fly"'],
    [['run'], 'Missing NAME'],
    [['run', 'shp'], 'Unknown chain "shp"'],
    [['run', 'ship', '--input', 'x=1'], 'has no input "x"'],
    [['run', 'ship', '--input', 'x'], '--input expects KEY=VALUE'],
    [['approve', 'x'], 'Expected RUN and STEP'],
    [['graph', 'ship', '--format', 'png'], '--format is mermaid or svg'],
    [['run', 'ship', '--file', 'missing.json'], 'missing.json'],
  ])('baton chain %j is a usage error', async (args, message) => {
    const { code, stdout, stderr } = await call(world(), ...args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });

  test('a run that does not exist is exit code 4', async () => {
    const { code, stderr } = await call(world(), 'resume', 'nothing');
    expect([code, stderr]).toEqual([4, expect.stringContaining('No chain run matches')]);
  });
});
