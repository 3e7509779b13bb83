export const ID = 'demo';
/** What people call it. */
export const LABEL = 'Demo agent';
/** Where a folder has settings for it. */
export const SETTINGS_PATHS = ['.baton-demo.json'];
