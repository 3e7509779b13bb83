import type { Probe } from '@baton/protocol';

const CREDENTIALS = {
  found: 'found',
  missing: 'none found',
  unknown: 'managed by the agent',
  not_needed: 'not needed',
} as const;

/** The detected facts of an agent on the daemon's machine as text, without missing ones. */
export function foundFacts({
  installed,
  version,
  path,
  foundBy,
  credentials,
  credentialSource,
}: Probe): [name: string, value: string | undefined][] {
  const source = credentialSource ? `, from ${credentialSource}` : '';
  return [
    ['Version', version],
    ['Program', path],
    ['Found by', foundBy],
    // No key is searched for an agent that is not installed.
    ['Key', installed ? CREDENTIALS[credentials] + source : undefined],
  ];
}
