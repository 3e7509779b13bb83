import { BatonError } from '@baton/protocol';
import type { SettingRow } from '@baton/store';
import { z } from 'zod';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { inputError } from '../../service/input-error.ts';
import { settingValue } from '../../settings/read-settings.ts';
import { SETTING_NAMES, SETTINGS, type SettingName } from '../../settings/settings.ts';

const settingRecordSchema = z.looseObject({
  name: z.string(),
  value: z.unknown(),
  default: z.unknown(),
  about: z.string(),
  updated_at: z.iso.datetime().nullable(),
});

/** What owners can set while the daemon runs. */
export function settings({ store }: DaemonContext): ServiceDefinition {
  const { settings: table } = store.records;
  return {
    path: 'settings',
    about: 'What owners can set while the daemon runs.',
    methods: {
      find: method({
        about: 'Lists all settings with their values and defaults.',
        allow: ['viewer'],
        result: z.array(settingRecordSchema),
        async act() {
          const rows = new Map((await table.find()).map((row) => [row.name, row]));
          return SETTING_NAMES.map((name) => settingRecord(name, rows.get(name)));
        },
      }),
      get: method({
        about: 'Gives one setting.',
        allow: ['viewer'],
        result: settingRecordSchema,
        async act({ id }) {
          const name = known(id);
          return settingRecord(name, await table.get(name));
        },
      }),
      patch: method({
        about: 'Changes a setting; executors that run already are not changed.',
        allow: ['owner'],
        data: z.strictObject({ value: z.unknown() }),
        result: settingRecordSchema,
        async act({ id, data }) {
          const name = known(id);
          const { schema } = SETTINGS[name];
          const parsed = schema.safeParse(data.value);
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
  throw new BatonError('not_found', `There is no setting "${id}".`, {
    hint: `There are: ${SETTING_NAMES.join(', ')}.`,
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
