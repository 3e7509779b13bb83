import { installableAgents } from '@baton/agent-tools/install/install-agent';
import type { Baton } from '@baton/agents/registry/baton';
import { Registry } from '@baton/agents/registry/registry';
import { BatonError, FEATURES } from '@baton/protocol/values';
import { type Command, isSet, type Parsed } from '../../arguments/command.ts';
import { foundWords, installWords, type Listed, listBackends } from '../../run/list-backends.ts';
import { errorLines } from '../../view/error-lines.ts';
import { style } from '../../view/style.ts';

const USAGE =
  'baton backends [--json], baton backends install|update NAME[@VERSION] [--allow-scripts] [--json], baton backends remove NAME [--json]';
/** Agents that `install` accepts; agents of the user are not among them. */
const INSTALLABLE = installableAgents(new Registry());
const ACTIONS = ['install', 'update', 'remove'] as const;

export const backends: Command = {
  name: 'backends',
  summary: 'List supported agents and their capabilities; install, update or remove agents.',
  usage: USAGE,
  words: [...ACTIONS, ...INSTALLABLE],
  options: {
    json: { type: 'boolean', about: 'print as JSON; the list includes all options of all agents' },
    'allow-scripts': {
      type: 'boolean',
      about: 'install, update: run the install scripts of the packages without asking',
    },
  },
  notes: [
    `install gets an agent from npm into ~/.baton/agents: ${INSTALLABLE.join(', ')}.`,
    'Without @VERSION, install and update take the newest release that Baton is tested with; NAME@latest takes the newest of all.',
    'Baton uses that program before one on PATH. No agent is ever installed or updated without this command.',
    'Install scripts are off. If the agent does not start without them, Baton asks first.',
  ],
  async run(parsed, baton) {
    const [word, ...names] = parsed.positionals;
    const action = ACTIONS.find((each) => each === word);
    if (word === undefined) return list(parsed, baton);
    const [name, ...more] = names;
    if (!action || name === undefined || more.length > 0) {
      throw new BatonError('usage', action ? 'Expected one NAME.' : `Unknown action "${word}".`, {
        hint: `Usage: ${USAGE}`,
      });
    }
    const { changeAgent } = await import('./change-agent.ts');
    return changeAgent(baton, action, name, {
      isJson: isSet(parsed, 'json'),
      allowScripts: isSet(parsed, 'allow-scripts'),
    });
  },
};

async function list(parsed: Parsed, baton: Baton): Promise<number> {
  const { listed, problems } = await listBackends(baton);
  for (const problem of problems) process.stderr.write(`${errorLines(problem).join('\n')}\n`);
  const plain = listed.map(({ isGiven: _isGiven, ...each }) => each);
  process.stdout.write(
    isSet(parsed, 'json') ? `${JSON.stringify(plain, null, 2)}\n` : table(listed),
  );
  return 0;
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
      ? `    installed: ${[probe.version, probe.path, foundWords(probe)].filter(Boolean).join('  ')}`
      : `    not installed; ${installWords(probe)}`,
    `    can: ${can.join(', ')}`,
  ];
  if (cannot.length > 0) lines.push(style(out, 'dim', `    cannot: ${cannot.join(', ')}`));
  lines.push(
    `    permission modes: ${capabilities.permissionModes.join(', ')}; transports: ${capabilities.transports.join(', ')}`,
  );
  return `${lines.join('\n')}\n`;
}
