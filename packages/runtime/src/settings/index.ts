export { findProjectConfig, PROJECT_FILE, userConfigPath } from './config-file.ts';
export { type LoadedSetting, loadSettings, Settings, type SettingsInput } from './load.ts';
export {
  type Program,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValue,
} from './table.ts';
