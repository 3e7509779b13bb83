import { type Command, isSet } from '../command.ts';
import { style } from '../view/style.ts';
import { listBackends } from './backends.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the agents on this machine and say what to fix.',
  usage: 'baton doctor [--json]',
  optionsOnly: true,
  options: { json: { type: 'boolean', about: 'print the findings as JSON' } },
  notes: ['The exit code is 0 when at least one real agent is ready, else 1.'],
  async run(parsed) {
    const listed = await listBackends();
    const ready = listed.some(
      ({ id, probe }) => id !== 'demo' && probe.installed && probe.problems.length === 0,
    );
    if (isSet(parsed, 'json')) {
      const findings = listed.map(({ id, probe }) => ({ id, ...probe }));
      process.stdout.write(`${JSON.stringify({ ready, backends: findings }, null, 2)}\n`);
      return ready ? 0 : 1;
    }
    const out = process.stdout;
    for (const { label, probe } of listed) {
      const fine = probe.installed && probe.problems.length === 0;
      const mark = fine
        ? style(out, 'green', '✓')
        : style(out, probe.installed ? 'yellow' : 'dim', probe.installed ? '!' : '○');
      const facts = probe.installed
        ? [probe.version, probe.path, credentialWords(probe)]
        : ['not installed'];
      out.write(`${mark} ${style(out, 'bold', label)}  ${facts.filter(Boolean).join('  ')}\n`);
      if (!probe.installed) out.write(`    install: ${probe.install}\n`);
      if (!probe.installed) continue;
      for (const problem of probe.problems)
        out.write(`    ${problem.message}\n    → ${problem.hint}\n`);
    }
    out.write(
      ready
        ? '\nReady: baton run "Explain this folder"\n'
        : '\nNo agent is ready yet. The demo works without one: baton run --backend demo "Hello"\n',
    );
    return ready ? 0 : 1;
  },
};

function credentialWords({
  credentials,
  credentialSource,
}: {
  credentials: string;
  credentialSource?: string | undefined;
}): string {
  if (credentials === 'found') return `credentials: ${credentialSource ?? 'found'}`;
  return credentials === 'not_needed' ? 'needs no credentials' : `credentials: ${credentials}`;
}
