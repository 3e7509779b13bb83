import type { WarningLog } from '@baton/runtime/contracts';

/** Where the gateway reports what it does. */
export type GatewayLog = WarningLog & { info(message: string): void };
