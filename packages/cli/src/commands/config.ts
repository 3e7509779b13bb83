import { BatonError } from '@baton/protocol';
import { loadSettings, type Program, SETTING_NAMES, SETTINGS, type Setting } from '@baton/runtime';
import { type Command, isSet, textOf } from '../command.ts';
import { style } from '../view/style.ts';

const PROGRAMS: readonly Program[] = ['baton', 'runner', 'gateway', 'chains'];

export const config: Command = {
  name: 'config',
  summary: 'Show every setting, its value and where the value comes from.',
  usage: 'baton config [--json] [--program NAME]',
  optionsOnly: true,
  options: {
    json: { type: 'boolean', about: 'print the settings as JSON' },
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
    const rows = SETTING_NAMES.map((name) => {
      const setting: Setting = SETTINGS[name];
      const value = settings.get(name);
      const shown = setting.secret && value !== undefined ? '********' : value;
      const variable = setting.programVariables?.[program]?.name;
      return {
        name,
        value: shown,
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
    for (const warning of settings.warnings) process.stderr.write(`warning: ${warning}\n`);
    return 0;
  },
};
