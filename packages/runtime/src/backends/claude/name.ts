export const ID = 'claude-cli';
/** What people call it. */
export const LABEL = 'Claude Code';
