import type { WarningLog } from '@baton/contracts';

/** Log of the gateway. */
export type GatewayLog = WarningLog & { info(message: string): void };
