import { FEATURES } from '@baton/protocol';
import { type Command, isSet } from '../command.ts';
import { type Listed, listBackends } from '../list-backends.ts';
import { errorLines } from '../view/error.ts';
import { style } from '../view/style.ts';

export const backends: Command = {
  name: 'backends',
  summary: 'List the agents Baton knows, installed or not, and what they can do.',
  usage: 'baton backends [--json]',
  optionsOnly: true,
  options: {
    json: { type: 'boolean', about: 'print everything as JSON, with every option of every agent' },
  },
  async run(parsed) {
    const { listed, problems } = await listBackends();
    for (const problem of problems) process.stderr.write(`${errorLines(problem).join('\n')}\n`);
    const plain = listed.map(({ isGiven: _isGiven, ...each }) => each);
    process.stdout.write(
      isSet(parsed, 'json') ? `${JSON.stringify(plain, null, 2)}\n` : table(listed),
    );
    return 0;
  },
};

function table(listed: readonly Listed[]): string {
  return listed.map(describe).join('\n');
}

function describe({ id, label, aliases, probe, capabilities }: Listed): string {
  const out = process.stdout;
  const mark = probe.installed ? style(out, 'green', '●') : style(out, 'dim', '○');
  const names = aliases.length > 0 ? style(out, 'dim', ` (also ${aliases.join(', ')})`) : '';
  const can = FEATURES.filter((feature) => capabilities.features[feature]);
  const cannot = FEATURES.filter((feature) => !capabilities.features[feature]);
  const lines = [
    `${mark} ${style(out, 'bold', id)}  ${label}${names}`,
    probe.installed
      ? `    installed: ${[probe.version, probe.path].filter(Boolean).join('  ')}`
      : `    not installed; to install: ${probe.install}`,
    `    can: ${can.join(', ')}`,
  ];
  if (cannot.length > 0) lines.push(style(out, 'dim', `    cannot: ${cannot.join(', ')}`));
  lines.push(
    `    permission modes: ${capabilities.permissionModes.join(', ')}; transports: ${capabilities.transports.join(', ')}`,
  );
  return `${lines.join('\n')}\n`;
}
