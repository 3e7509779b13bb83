import {
  loadSettings,
  type Program,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
} from '@baton/config/settings';
import { BatonError } from '@baton/protocol/values';
import { type Command, isSet, textOf } from '../arguments/command.ts';
import { style } from '../view/style.ts';

const PROGRAMS: readonly Program[] = ['baton', 'runner', 'gateway', 'chains'];

export const config: Command = {
  name: 'config',
  summary: 'Show the settings, their values and where each value comes from.',
  usage: 'baton config [--json] [--all] [--program NAME]',
  optionsOnly: true,
  options: {
    json: { type: 'boolean', about: 'print the settings as JSON' },
    all: { type: 'boolean', about: 'include settings used only by other programs' },
    program: {
      type: 'string',
      value: 'NAME',
      about: 'show the values for this program: baton, runner, gateway or chains',
      choices: PROGRAMS,
    },
  },
  notes: [
    'Precedence: flags, environment variables, baton.json in the project, ~/.baton/config.json.',
  ],
  async run(parsed) {
    const program = PROGRAMS.find((name) => name === (textOf(parsed, 'program') ?? 'baton'));
    if (!program)
      throw new BatonError('usage', `Unknown program "${textOf(parsed, 'program')}".`, {
        hint: `Programs: ${PROGRAMS.join(', ')}.`,
      });
    const settings = loadSettings({ program });
    const names = SETTING_NAMES.filter((name) => isSet(parsed, 'all') || actsIn(program, name));
    const rows = names.map((name) => {
      const setting: Setting = SETTINGS[name];
      return {
        name,
        value: shown(setting, settings.get(name)),
        origin: settings.origin(name),
        flag: setting.flag,
        variables: [
          setting.programVariables?.[program]?.name,
          setting.variable,
          setting.sharedVariable,
        ].filter((variable) => variable !== undefined),
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
      out.write(`\n${hidden} settings for other programs hidden; use --all to show them.\n`);
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
