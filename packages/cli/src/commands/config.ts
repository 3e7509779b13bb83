import { BatonError } from '@baton/protocol';
import {
  loadSettings,
  type Program,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
} from '@baton/runtime';
import { type Command, isSet, textOf } from '../command.ts';
import { style } from '../view/style.ts';

const PROGRAMS: readonly Program[] = ['baton', 'runner', 'gateway', 'chains'];

export const config: Command = {
  name: 'config',
  summary: 'Show the settings, their values and where each value comes from.',
  usage: 'baton config [--json] [--all] [--program NAME]',
  optionsOnly: true,
  options: {
    json: { type: 'boolean', about: 'print the settings as JSON' },
    all: { type: 'boolean', about: 'also show the settings that act only in other programs' },
    program: {
      type: 'string',
      value: 'NAME',
      about: 'as this program sees them: baton, runner, gateway or chains',
      choices: PROGRAMS,
    },
  },
  notes: [
    'Settings are read from flags, variables, baton.json in the project, and ~/.baton/config.json, in this order.',
  ],
  async run(parsed) {
    const program = PROGRAMS.find((name) => name === (textOf(parsed, 'program') ?? 'baton'));
    if (!program)
      throw new BatonError('usage', `There is no program "${textOf(parsed, 'program')}".`, {
        hint: `Programs: ${PROGRAMS.join(', ')}.`,
      });
    const settings = loadSettings({ program });
    const names = SETTING_NAMES.filter((name) => isSet(parsed, 'all') || actsIn(program, name));
    const rows = names.map((name) => {
      const setting: Setting = SETTINGS[name];
      const variable = setting.programVariables?.[program]?.name;
      return {
        name,
        value: shown(setting, settings.get(name)),
        origin: settings.origin(name),
        flag: setting.flag,
        variables: [...(variable ? [variable] : []), setting.variable],
        about: setting.about,
      };
    });
    if (isSet(parsed, 'json')) {
      process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
      return 0;
    }
    const out = process.stdout;
    for (const { name, value, origin, flag, variables, about } of rows) {
      const given =
        value === undefined
          ? style(out, 'dim', 'not set')
          : `${JSON.stringify(value)} ${style(out, 'dim', `(${origin})`)}`;
      out.write(`${style(out, 'bold', name)}: ${given}\n`);
      out.write(
        style(out, 'dim', `    ${about}; ${[flag, ...variables].filter(Boolean).join(', ')}\n`),
      );
    }
    const hidden = SETTING_NAMES.length - names.length;
    if (hidden > 0)
      out.write(`\n${hidden} settings act only in other programs; --all shows them too.\n`);
    for (const warning of settings.warnings) process.stderr.write(`warning: ${warning}\n`);
    return 0;
  },
};

function actsIn(program: Program, name: SettingName): boolean {
  const { programs }: Setting = SETTINGS[name];
  return programs?.includes(program) ?? true;
}

/** The value as it can be written into a file. */
function shown({ secret, reader }: Setting, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (secret) return '********';
  return reader.write ? reader.write(value) : value;
}
