import type { WarningLog } from '@baton/runtime/contracts';

/** Log of the gateway. */
export type GatewayLog = WarningLog & { info(message: string): void };
