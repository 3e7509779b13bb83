export {
  type ConfigFile,
  changeUserConfig,
  findProjectConfig,
  PROJECT_FILE,
  positionOf,
  readConfigFile,
  userConfigPath,
} from './config-file.ts';
export { type ConfigKind, configSchema } from './config-schema.ts';
export {
  type LoadedSetting,
  loadSettings,
  loadUserSettings,
  resolveSettings,
  Settings,
  type SettingsInput,
} from './load-settings.ts';
export {
  type Program,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValue,
} from './setting-table.ts';
