import type { Probe } from '@baton/protocol';

const CREDENTIALS = {
  found: 'found',
  missing: 'none found',
  unknown: 'only the agent knows',
  not_needed: 'not needed',
} as const;

/** What was found of an agent on the machine of the daemon, in words; what is not there is left out. */
export function foundFacts({
  installed,
  version,
  path,
  credentials,
  credentialSource,
}: Probe): [name: string, value: string | undefined][] {
  const source = credentialSource ? `, from ${credentialSource}` : '';
  return [
    ['Version', version],
    ['Program', path],
    // Nobody has looked for the key of what is not there.
    ['Key', installed ? CREDENTIALS[credentials] + source : undefined],
  ];
}
