import { BatonError, type McpServer } from '@baton/protocol';
import type { McpServerRow, Store } from '@baton/store';
import { noteSecret } from '../logs/redact.ts';
import type { SealedBox } from './sealed-box.ts';

/** Stands where a secret is. */
export const MASK = '***';

/** The fields that hold no secrets by themselves. */
const SHOWN: ReadonlySet<string> = new Set(['command', 'args', 'url', 'type']);

/** The MCP servers that every task gets, by name, with their secrets. */
export async function enabledMcpServers(
  store: Store,
  box: SealedBox,
): Promise<Record<string, McpServer>> {
  const rows = await store.records.mcpServers.find({ where: { enabled: 1 } });
  return Object.fromEntries(rows.map((row) => [row.name, openConfig(row, box)]));
}

/** Opens the configuration of a server. */
export function openConfig({ sealed, server_id }: McpServerRow, box: SealedBox): McpServer {
  const config = JSON.parse(box.open(sealed, server_id)) as McpServer;
  noteSecrets(config);
  return config;
}

/** Seals the configuration of a server as a whole. */
export function sealConfig(config: McpServer, serverId: string, box: SealedBox): string {
  checkWhole(config);
  noteSecrets(config);
  return box.seal(JSON.stringify(config), serverId);
}

/** A configuration as it may be shown: every value that may be a secret is masked. */
export function masked(config: McpServer): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, SHOWN.has(name) ? value : mask(value)]),
  );
}

/**
 * Returns a changed configuration with its masked secrets restored from the previous one. A secret is never sent to a
 * program or address other than the one it was given for.
 */
export function unmasked(changed: McpServer, before: McpServer): McpServer {
  const place = (config: McpServer) =>
    JSON.stringify([...SHOWN].map((name) => (config as Record<string, unknown>)[name]));
  return place(changed) === place(before) ? (restored(changed, before) as McpServer) : changed;
}

function restored(value: unknown, before: unknown): unknown {
  if (value === MASK) return before ?? value;
  if (!isObject(value)) return value;
  const old = isObject(before) ? before : {};
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, restored(each, old[name])]),
  );
}

/** Rejects masked values, which are not the secret itself. */
export function checkWhole(value: unknown): void {
  if (value === MASK) {
    throw new BatonError('usage', `"${MASK}" is only valid for a secret that is already saved.`, {
      hint: 'Send the value itself.',
    });
  }
  if (isObject(value)) Object.values(value).forEach(checkWhole);
}

function mask(value: unknown): unknown {
  if (!isObject(value)) return MASK;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mask(each)]));
}

/** Keeps the secrets of a configuration out of the log. */
export function noteSecrets(config: McpServer): void {
  for (const [name, value] of Object.entries(config)) if (!SHOWN.has(name)) noteAll(value);
}

function noteAll(value: unknown): void {
  if (typeof value === 'string') noteSecret(value);
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(noteAll);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
