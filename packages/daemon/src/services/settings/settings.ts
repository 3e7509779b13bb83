import { BatonError } from '@baton/protocol';
import { settingsWire } from '@baton/protocol/wire';
import type { SettingRow } from '@baton/store';
import { inBatonNames } from '../../compat/other-names.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { inputError } from '../../service/input-error.ts';
import { settingValue } from '../../settings/read-settings.ts';
import { SETTING_NAMES, SETTINGS, type SettingName } from '../../settings/settings.ts';

/** Settings that owners can change at run time. */
export function settings({ store }: DaemonContext): ServiceOf<'settings'> {
  const { settings: table } = store.records;
  return {
    path: 'settings',
    about: 'Settings that owners can change at run time.',
    methods: {
      find: method(settingsWire.find, {
        about: 'Lists all settings with their values and defaults.',
        allow: ['viewer'],
        async act() {
          const rows = new Map((await table.find()).map((row) => [row.name, row]));
          return SETTING_NAMES.map((name) => settingRecord(name, rows.get(name)));
        },
      }),
      get: method(settingsWire.get, {
        about: 'Returns one setting.',
        allow: ['viewer'],
        async act({ id }) {
          const name = known(id);
          return settingRecord(name, await table.get(name));
        },
      }),
      patch: method(settingsWire.patch, {
        about: 'Changes a setting. Running executors are not affected.',
        allow: ['owner'],
        async act({ id, data }) {
          const name = known(id);
          const { schema } = SETTINGS[name];
          const parsed = schema.safeParse(inBatonNames(schema, data.value));
          if (!parsed.success) throw inputError(name, schema, parsed.error);
          const value = JSON.stringify(parsed.data);
          return settingRecord(name, await table.put({ name, value, updated_at: store.now() }));
        },
      }),
    },
  };
}

function known(id: string): SettingName {
  const name = SETTING_NAMES.find((each) => each === id);
  if (name) return name;
  throw new BatonError('not_found', `Unknown setting "${id}".`, {
    hint: `Settings: ${SETTING_NAMES.join(', ')}.`,
  });
}

function settingRecord(name: SettingName, row: SettingRow | undefined) {
  const { about, default: byDefault } = SETTINGS[name];
  return {
    name,
    value: settingValue(name, row),
    default: byDefault,
    about,
    updated_at: row ? moment(row.updated_at) : null,
  };
}
