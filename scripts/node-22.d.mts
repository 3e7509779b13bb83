export function ensureNode22(): string;
