import { type Capabilities, FEATURES, type Probe } from '@baton/protocol';
import {
  BACKEND_ALIASES,
  type Backend,
  backendEntries,
  loadBackend,
  loadSettings,
} from '@baton/runtime';
import { backendSettings } from '../choose-backend.ts';
import { type Command, isSet } from '../command.ts';
import { style } from '../view/style.ts';

type Listed = {
  id: string;
  label: string;
  aliases: readonly string[];
  probe: Probe;
  capabilities: Capabilities;
};

export const backends: Command = {
  name: 'backends',
  summary: 'List the agents Baton knows, installed or not, and what they can do.',
  usage: 'baton backends [--json]',
  optionsOnly: true,
  options: {
    json: { type: 'boolean', about: 'print everything as JSON, with every option of every agent' },
  },
  async run(parsed) {
    const listed = await listBackends();
    process.stdout.write(
      isSet(parsed, 'json') ? `${JSON.stringify(listed, null, 2)}\n` : table(listed),
    );
    return 0;
  },
};

/** Every backend with what was found out about it on this machine. */
export async function listBackends(): Promise<(Listed & { backend?: undefined })[]> {
  const settings = loadSettings({ program: 'baton' });
  return Promise.all(
    backendEntries().map(async ({ id, label }) => {
      const backend: Backend = await loadBackend(id, backendSettings(id, settings));
      const { capabilities } = backend;
      return {
        id,
        label,
        aliases: BACKEND_ALIASES[id] ?? [],
        probe: await backend.probe(),
        capabilities,
      };
    }),
  );
}

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
