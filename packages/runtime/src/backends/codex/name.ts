export const ID = 'codex-cli';
/** What people call it. */
export const LABEL = 'Codex';
/** Where a folder has settings for it. */
export const SETTINGS_PATHS = ['.codex'];
