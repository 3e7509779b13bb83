export const ID = 'demo';
/** What people call it. */
export const LABEL = 'Demo agent';
