export const ID = 'codex-cli';
/** What people call it. */
export const LABEL = 'Codex';
