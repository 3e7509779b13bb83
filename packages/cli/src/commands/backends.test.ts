import { capabilitiesSchema, probeSchema } from '@baton/protocol';
import { backendEntries } from '@baton/runtime';
import { describe, expect, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';

const ids = backendEntries().map(({ id }) => id);

describe.concurrent('backends', () => {
  test('--json has every backend with its probe and its capabilities', async () => {
    const { code, stdout, stderr } = await new CliWorld().call({ args: ['backends', '--json'] });
    expect([code, stderr]).toEqual([0, '']);
    const listed: { id: string; probe: unknown; capabilities: unknown }[] = JSON.parse(stdout);
    expect(listed.map(({ id }) => id)).toEqual(ids);
    for (const { id, probe, capabilities } of listed) {
      expect(probeSchema.parse(probe)).toMatchObject({ backend: id });
      expect(capabilitiesSchema.safeParse(capabilities).success).toBe(true);
    }
  });

  test('for people names each, how to install it, and what it can do', async () => {
    const { code, stdout } = await new CliWorld().call({ args: ['backends'] });
    expect(code).toBe(0);
    for (const id of ids) expect(stdout).toContain(` ${id}  `);
    expect(stdout).toContain('not installed; to install: npm install');
    expect(stdout).toContain('permission modes: ask, auto, allow-all');
    expect(stdout).not.toContain('\u001b');
  });
});

describe.concurrent('doctor', () => {
  test('--json says whether a real agent is ready, in its exit code too', async () => {
    const { code, stdout, stderr } = await new CliWorld().call({ args: ['doctor', '--json'] });
    expect([code, stderr]).toEqual([1, '']);
    const { ready, backends } = JSON.parse(stdout);
    expect(ready).toBe(false);
    expect(backends.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test('for people says how to install what is missing, and offers the demo', async () => {
    const { code, stdout } = await new CliWorld().call({ args: ['doctor'] });
    expect(code).toBe(1);
    expect(stdout).toMatch(/Claude Code {2}not installed\n {4}install: /);
    expect(stdout).toMatch(/Demo agent {2}1 .*needs no credentials/);
    expect(stdout).toContain('baton run --backend demo');
  });

  test('finds a program that is not where it was looked for', async () => {
    const { stdout } = await new CliWorld().call({
      args: ['doctor', '--json'],
      env: { BATON_CLAUDE_BIN: '/nowhere/claude' },
    });
    const claude = JSON.parse(stdout).backends[0];
    expect(claude.problems[0]).toMatchObject({
      code: 'backend_not_found',
      message: expect.stringContaining('/nowhere/claude'),
    });
  });
});
