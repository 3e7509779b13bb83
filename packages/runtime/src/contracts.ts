/** Entry point for programs that were written for one of the three older interfaces. */
export * from '@baton/contracts';
