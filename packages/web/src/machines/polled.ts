/** How often machines are looked at while they are shown: nothing tells of their signs of life. */
export const POLLED = { everyMs: 3000 } as const;
