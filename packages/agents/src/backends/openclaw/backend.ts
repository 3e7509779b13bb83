import type { Adapter, Credentials, Surroundings } from '@baton/engine/definition/backend-entry';
import { DeviceStore } from './device-store.ts';
import { openClawFormat } from './dialect.ts';
import { checkOptions, liveDriver, pingGateway } from './drivers.ts';
import { gatewayAccess } from './gateway-access.ts';
import { openClawEntry } from './index.ts';

/** Adapter for OpenClaw, loaded on first use. */
export const openClawAdapter: Adapter = {
  drivers: [liveDriver()],
  dialects: [openClawFormat],
  providerOptions: {
    sessionKey: {
      schema: { type: 'string', minLength: 1 },
      fits: (value) => typeof value === 'string' && value.trim() !== '',
      what: 'the key of a session of the gateway',
    },
  },
  credentials,
  reach: pingGateway,
  check: checkOptions,
};

/** All that is particular to OpenClaw. */
export const openClawSpec = { ...openClawEntry, ...openClawAdapter };

/** Looks for the token of the device, then for a shared secret. */
function credentials(around: Surroundings): Credentials {
  try {
    const { url, source } = gatewayAccess(around);
    if (new DeviceStore(around.home).token(url)) {
      return { credentials: 'found', credentialSource: 'device token' };
    }
    return source ? { credentials: 'found', credentialSource: source } : { credentials: 'missing' };
  } catch {
    return { credentials: 'unknown' };
  }
}
