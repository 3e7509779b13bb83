import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { CliWorld, isRunning } from '../testing/baton.ts';

const LONG = `demo:script ${JSON.stringify([{ shell: "setsid sh -c 'echo $$; exec sleep 300'" }])}`;

test('doctor lists leftover processes of a killed Baton, and the next run stops them with a notice', async () => {
  const world = new CliWorld();
  const pid = await killedInTheMiddle(world);
  const doctor = world.start({ args: ['doctor', '--json'] });
  const { orphans } = JSON.parse(await textOf(doctor.stdout));
  const left = orphans.flatMap((run: { processes: { pid: number }[] }) =>
    run.processes.map((each) => each.pid),
  );
  expect(left).toContain(pid);
  expect(isRunning(pid)).toBe(true);

  const { events } = await world.events({ args: ['run', 'demo:script [{"shell":"echo"}]'] });
  expect(isRunning(pid)).toBe(false);
  expect(events).toContainEqual(
    expect.objectContaining({
      code: 'leftover_processes',
      message: expect.stringMatching(/^Stopped .* left behind when Baton was killed\.$/),
    }),
  );
});

/** Kills a Baton in the middle of a command that has a session of its own, and gives the pid of that command. */
async function killedInTheMiddle(world: CliWorld): Promise<number> {
  const args = ['run', '--permission-mode', 'allow-all', '--json', LONG];
  const child = world.start({ args });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const pid = await vi.waitFor(
    () => {
      const printed = /"type":"tool.updated".*"output":"(\d+)/.exec(output)?.[1];
      if (!printed) throw new Error(output);
      return Number(printed);
    },
    { timeout: 20_000 },
  );
  child.kill('SIGKILL');
  await once(child, 'close');
  return pid;
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
