import { isObject, object, parseJson } from '@baton/config/values/json';
import type { Adapter } from '@baton/engine/definition/backend-entry';
import type { DialectEntry } from '@baton/engine/definition/dialect';
import { acpFormat } from '../../dialects/acp/dialect.ts';
import { LABEL } from '../../dialects/opencode-json/errors.ts';
import { openCodeFormats } from '../../dialects/opencode-json/reader.ts';
import { checkOptions, live, print } from './drivers.ts';
import { openCodeEntry } from './index.ts';
import { openCodeCredentials } from './opencode-home.ts';
import { ServerDialect } from './server-dialect.ts';

/** The formats of OpenCode's output that Baton reads: the events of its server, ACP, and what `opencode run` prints. */
export const openCodeDialects: readonly DialectEntry[] = [
  { transport: 'live', recognises: isServerEvent, create: (out) => new ServerDialect(out) },
  { ...acpFormat({ label: LABEL, agentName: LABEL }), transport: 'acp' },
  ...openCodeFormats,
];

/** Adapter for OpenCode, loaded on first use. */
export const openCodeAdapter: Adapter = {
  drivers: [live, print],
  dialects: openCodeDialects,
  credentials: openCodeCredentials,
  check: checkOptions,
};

/** All that is particular to OpenCode. */
export const openCodeSpec = { ...openCodeEntry, ...openCodeAdapter };

function isServerEvent(line: string): boolean {
  const json = line.startsWith('{') ? parseJson(line) : undefined;
  return isObject(json) && typeof json.type === 'string' && 'sessionID' in object(json.properties);
}
