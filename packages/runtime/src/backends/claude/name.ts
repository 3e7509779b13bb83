export const ID = 'claude-cli';
/** What people call it. */
export const LABEL = 'Claude Code';
/** Where a folder has settings for it. */
export const SETTINGS_PATHS = ['.claude', '.claude.json', '.mcp.json'];
