import type { SettingRow, Store } from '@baton/store';
import { inBatonNames } from '../compat/other-names.ts';
import { type DaemonSettings, SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

/** Reads the values of all settings; one that makes no sense to this version has its default. */
export async function readSettings(store: Store): Promise<DaemonSettings> {
  const rows = await store.records.settings.find();
  const byName = new Map(rows.map((row) => [row.name, row]));
  const values = SETTING_NAMES.map((name) => [name, settingValue(name, byName.get(name))]);
  return Object.fromEntries(values) as DaemonSettings;
}

/** The value of one setting, as its row says. */
export function settingValue(name: SettingName, row: SettingRow | undefined): unknown {
  const { schema, default: byDefault } = SETTINGS[name];
  if (!row) return byDefault;
  const parsed = schema.safeParse(inBatonNames(schema, JSON.parse(row.value)));
  return parsed.success ? parsed.data : byDefault;
}
