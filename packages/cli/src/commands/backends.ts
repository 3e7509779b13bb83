import { type Capabilities, type ErrorInfo, FEATURES, type Probe } from '@baton/protocol';
import {
  BACKEND_ALIASES,
  backendEntries,
  loadBackend,
  loadSettings,
  type Settings,
} from '@baton/runtime';
import { backendSettings } from '../choose-backend.ts';
import { type Command, isSet } from '../command.ts';
import { explained } from '../explain-error.ts';
import { errorLines } from '../view/error.ts';
import { style } from '../view/style.ts';

export type Listed = {
  id: string;
  label: string;
  aliases: readonly string[];
  probe: Probe;
  capabilities: Capabilities;
  /** Whether somebody said where its program is. */
  isGiven: boolean;
};

type Listing = {
  listed: Listed[];
  settings: Settings;
  /** What is wrong with the settings; those are passed over. */
  problems: ErrorInfo[];
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
    const { listed, problems } = await listBackends();
    for (const problem of problems) process.stderr.write(`${errorLines(problem).join('\n')}\n`);
    const plain = listed.map(({ isGiven: _isGiven, ...each }) => each);
    process.stdout.write(
      isSet(parsed, 'json') ? `${JSON.stringify(plain, null, 2)}\n` : table(listed),
    );
    return 0;
  },
};

/** Every backend with what was found out about it on this machine; broken settings are no reason to find out nothing. */
export async function listBackends(): Promise<Listing> {
  const problems: ErrorInfo[] = [];
  const settings = loadSettings({
    program: 'baton',
    onProblem: (problem) => problems.push(problem.toJSON()),
  });
  const listed = await Promise.all(
    backendEntries().map(async ({ id, label, binarySetting }) => {
      const backend = await loadBackend(id, backendSettings(id, settings));
      const probe = await backend.probe();
      return {
        id,
        label,
        aliases: BACKEND_ALIASES[id] ?? [],
        probe: {
          ...probe,
          problems: await Promise.all(
            probe.problems.map((problem) => explained(problem, { backend, settings })),
          ),
        },
        capabilities: backend.capabilities,
        isGiven: binarySetting !== undefined && settings.get(binarySetting) !== undefined,
      };
    }),
  );
  return { listed, settings, problems };
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
