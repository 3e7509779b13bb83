/** Polling interval of the view of machines: there are no notifications of heartbeats. */
export const POLLED = { everyMs: 3000 } as const;
