/** The module that the runner calls "execution": its interface and its functions. */
export * from '@baton/runtime/contracts';
